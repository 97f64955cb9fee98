import Domain
import HTTP
import Testing

@testable import Product
@testable import kurir

@Suite struct OptionTests {
    private func settings(_ arguments: String..., environment: [String: String] = [:]) throws -> GivenSettings {
        try GivenSettings(Command.serve.options, arguments: arguments, environment: environment, command: "serve")
    }

    private func refusal(_ arguments: String..., environment: [String: String] = [:]) -> String? {
        refusal(arguments, environment: environment)
    }

    private func refusal(_ arguments: [String], environment: [String: String] = [:]) -> String? {
        do {
            _ = try Configuration(
                GivenSettings(Command.serve.options, arguments: arguments, environment: environment, command: "serve"))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a password in a target's URL is refused where others read it, and nowhere else`() throws {
        let target = "sms=https://user:geheim@host.example/hook"
        _ = try OwnGateways(settings(environment: [Option.ownGateways.environment: target]))
        #expect(throws: UsageError.self) { _ = try OwnGateways(settings("--gateway", target)) }
    }

    @Test func `the command line wins over the environment`() throws {
        let settings = try settings("--listen", "[::1]:1", environment: ["KURIR_LISTEN": ":2", "KURIR_LOOPS": "3"])
        let configuration = try Configuration(settings)
        #expect("\(configuration.server.listen)" == "[::1]:1")
        #expect(configuration.loops == 3)
    }

    @Test(arguments: [
        ([], false), (["--listen", "localhost:1"], false), (["--listen", "[::1]:1"], false),
        (["--listen", "0.0.0.0:1"], true), (["--listen", ":1"], true),
        (["--public-url", "https://kurir.example"], true),
        (["--demo", "--listen", ":1"], false), (["--verify", "on"], true), (["--verify", "on", "--demo"], true),
        (["--listen", ":1", "--verify", "off"], false),
    ])
    func `people prove who they are where others can come`(_ arguments: [String], _ verifies: Bool) throws {
        let given = try GivenSettings(Command.serve.options, arguments: arguments, environment: [:], command: "serve")
        #expect(try Configuration(given).product.verifies == verifies)
    }

    @Test func `pictures of steps are kept for as many days as is said`() throws {
        #expect(try Configuration(settings()).product.photoDays == 90)
        #expect(try Configuration(settings("--photo-days", "7")).product.photoDays == 7)
        #expect(try Configuration(settings(environment: ["KURIR_PHOTO_DAYS": "3650"])).product.photoDays == 3650)
        for days in ["0", "3651", "week"] {
            #expect(refusal("--photo-days", days)?.contains("a number from 1 to 3650") == true)
        }
    }

    @Test func `offers go by SMS where the operator says so, and not by themselves`() throws {
        for (arguments, isAllowed) in [
            ([], false), (["--offers-by-sms", "off"], false), (["--offers-by-sms", "on"], true),
        ] {
            let given = try GivenSettings(
                Command.serve.options, arguments: arguments, environment: [:], command: "serve")
            #expect(try Configuration(given).product.trust.offersBySMS == isAllowed)
        }
    }

    @Test func `how long something is kept is said for each by itself`() throws {
        let kept: [(option: Option, days: KeyPath<Composition.Settings, Int>, usual: Int)] = [
            (.eventDays, \.eventDays, 30), (.messageDays, \.messageDays, 30), (.recipientDays, \.recipientDays, 90),
            (.photoDays, \.photoDays, 90), (.conversationDays, \.conversationDays, 365), (.trailDays, \.trailDays, 7),
        ]
        for (option, days, usual) in kept {
            let ways = [try settings("--\(option.name)", "42"), try settings(environment: [option.environment: "42"])]
            for settings in ways {
                let product = try Configuration(settings).product
                #expect(product[keyPath: days] == 42, "\(option.name)")
                for other in kept where other.option.name != option.name {
                    #expect(product[keyPath: other.days] == other.usual, "\(option.name) and \(other.option.name)")
                }
            }
            #expect(try Configuration(settings()).product[keyPath: days] == usual)
            for wrong in ["0", "3651", "1y"] {
                #expect(refusal("--\(option.name)", wrong)?.contains("a number from 1 to 3650") == true)
            }
        }
        #expect(Option.conversationDays.environment == "KURIR_CONVERSATION_DAYS")
    }

    @Test func `values may follow an equals sign`() throws {
        #expect(try settings("--listen=localhost:7").text(.listen) == "localhost:7")
    }

    @Test func `every option has an environment name and stands in the help`() {
        for command in Command.allCases {
            for option in command.options {
                #expect(command.help.contains("--\(option.name)"))
                #expect(command.help.contains(option.environment))
            }
            #expect(Command.help.contains("kurir \(command.rawValue)"))
        }
        #expect(Set(Command.serve.options.map(\.environment)).count == Command.serve.options.count)
    }

    @Test(arguments: [
        (["--lisen", "x"], "did you mean --listen?"),
        (["serve"], "takes options only"), (["postgresql://u:hush@h"], "takes options only"),
        (["--databse=postgresql://u:hush@h"], "did you mean --database?"), (["--data-dir="], "wants a value"),
        (["--demo", "--database", "postgresql://h"], "exclude each other"),
        (["--listen"], "--listen HOST:PORT"),
        (["--listen", "--demo"], "--listen HOST:PORT"),
        (["--demo=1"], "takes no value"),
        (["--listen", "8080"], "must be HOST:PORT"),
        (["--listen", "host:99999"], "must be HOST:PORT"),
        (["--loops", "0"], "a number from 1 to 256"),
        (["--loops", "many"], "a number from 1 to 256"),
        (["--pool-size", "-1"], "a number from 1 to 64"),
        (["--loops", "256", "--pool-size", "64"], "at most 1000"),
        (["--listen", "127.0.0.1:8088", "--admin-listen", ":8088"], "an address of their own"),
        (["--ca", "/nowhere"], "--ca is /nowhere, but /nowhere cannot be read"),
        (["--ca", "/etc/hostname"], "no certificate in it"),
        (["--verify", "maybe"], "must be on or off"),
        (["--throttle", "no"], "must be on, off, or how many times as much"),
        (["--log-format", "xml"], "must be text or json"),
        (["--trusted-proxies", "10.0.0.0/33"], "must be networks"),
        (["--trusted-proxies", ","], "--trusted-proxies is ,, but must be networks"),
        (["--trusted-proxies", "10.0.0.0/8,"], "must be networks"),
        (["--trusted-proxies", "::1,,::2"], "must be networks"),
        (["--allowed-origins", ","], "must be origins"), (["--apple-apps", " , "], "must be app ids"),
        (["--android-apps", ","], "must be PACKAGE=SHA256"), (["--push-hosts", ","], "must be hosts"),
        (["--push-hosts", "https://push.example"], "must be hosts, as in push.example"),
        (["--push-hosts", "push.example:443"], "must be hosts, as in push.example"),
        (["--sms-countries", "HR,"], "two letters"),
        (["--rates", "1,2,3,"], "--rates is 1,2,3,, but must be three numbers"),
        (["--sms-budget", "1,,2,3"], "three numbers"),
        (["--gateway", "sms=log,"], "--gateway has nothing beside a comma"),
        (["--gateway", "sms=twilio+sms.example"], "--gateway has no URL behind the plus: as in twilio+https://HOST"),
        (["--gateway", "sms=twilio+"], "no URL behind the plus"), (["--gateway", "sms=+"], "no URL behind the plus"),
        (["--gateway", "webpush=off", "--gateway", "webpush=on"], "--gateway webpush= is given twice"),
        (["--gateway", "sms=log", "--gateway", "sms=https://sms.example"], "--gateway sms= is given twice"),
        (["--allowed-origins", "shop.example"], "must be origins"),
        (["--allowed-origins", "https://shop.example/path"], "must be origins"),
        (["--allowed-origins", "https://shop.example?x"], "must be origins"),
        (["--allowed-origins", "https://shop.example:99999"], "must be origins"),
        (["--public-url", "https://kurir example"], "--public-url is https://kurir example, but must be"),
        (["--public-url", "https://u:p@kurir.example"], "but must be"),
        (["--public-url", "https://kurir.example\">"], "but must be"),
        (["--database", "localhost"], "postgresql://"),
        (["--database", "postgresql://u:hush@h:1:2/x"], "--database: the database URL cannot be read"),
        (["--replica", "a=b", "--database", "postgresql://h/x", "--key-file", "/k"], "--replica: the database URL"),
        (["--gateway", "push=fcm", "--fcm-key", "/nowhere"], "--fcm-key is /nowhere, but /nowhere cannot be read"),
        (["--sms-budget", "100,5"], "three numbers"), (["--sms-budget", "1,2,0"], "three numbers"),
        (["--sms-countries", "croatia"], "two letters"), (["--rates", "600"], "three numbers"),
        (["--store-approval", "yes"], "on or off"), (["--offers-by-sms", "10"], "on or off"),
        (["--files", "/var/pictures"], "must be s3://BUCKET"),
        (["--geocoder", "https://photon.example"], "--geocoder is https://photon.example, but must be photon:URL or"),
        (["--geocoder", "google:https://maps.example"], "must be photon:URL or nominatim:URL"),
        (["--router", "osrm.example"], "--router is osrm.example, but must be a URL"),
        (["--router", "https://osrm.example/?key=1"], "must be a URL without a query"),
        (["--geocoder", "photon:https://photon.example:0"], "--geocoder is photon:https://photon.example:0, but must"),
        (["--geocoder", "nominatim:http://127.0.0.1:99999"], "--geocoder is nominatim:http://127.0.0.1:99999, but"),
        (["--router", "http://127.0.0.1:0"], "--router is http://127.0.0.1:0, but must be a URL"),
        (["--router", "https://osrm.example:99999/"], "--router is https://osrm.example:99999/, but must be a URL"),
        (["--map", "https://tiles.example:0/{z}/{x}/{y}.png"], "--map is https://tiles.example:0/{z}/{x}/{y}.png"),
        (["--map", "http://localhost:99999/{z}/{x}/{y}.png"], "--map is http://localhost:99999/{z}/{x}/{y}.png"),
        (["--files", "s3://p?region=eu-1"], "must be s3://BUCKET"),
        (["--files", "s3://pictures?endpoint=http://minio&region=eu-1"], "--insecure-transport"),
        (["--files", "s3://pictures?endpoint=https://minio&region=eu-1"], "AWS_ACCESS_KEY_ID"),
        (["--files-password", "hush"], "AWS_SECRET_ACCESS_KEY"),
        (["--shutdown-grace", "1h"], "a number from 0 to 3600"),
        (["--apple-apps", "hr.example.courier"], "must be app ids"),
        (["--android-apps", "hr.example.courier=AB:CD"], "must be PACKAGE=SHA256"),
    ])
    func `a wrong option is refused with what to write instead`(_ arguments: [String], _ hint: String) {
        do {
            _ = try Configuration(
                GivenSettings(Command.serve.options, arguments: arguments, environment: [:], command: "serve"))
            Issue.record("\(arguments) was taken")
        } catch {
            #expect("\(error)".contains(hint))
        }
    }

    @Test func `an environment name with a slip is refused`() {
        #expect(refusal(environment: ["KURIR_LISTN": ":1"])?.contains("did you mean KURIR_LISTEN?") == true)
        #expect(refusal(environment: ["KURIR_LOOPS": "x"])?.contains("KURIR_LOOPS is x") == true)
        #expect(refusal(environment: ["OTHER": "x", "KURIR_LISTEN": ""]) == nil)
    }

    @Test func `an option that stands twice is refused by its name alone, but for a list`() {
        #expect(refusal("--listen", ":1", "--listen=:2")?.hasPrefix("--listen is given twice: write it once") == true)
        #expect(refusal("--demo", "--demo") == "--demo is given twice: write it once")
        let url = refusal("--database", "postgresql://u:hush@h/x", "--database", "postgresql://u:hush@h/x")
        #expect(url?.contains("--database is given twice") == true && url?.contains("hush") == false)
        #expect(refusal("--gateway", "sms=log", "--gateway", "email=log") == nil)
        #expect(refusal("--listen", ":1", environment: ["KURIR_LISTEN": ":2"]) == nil)
    }

    /// Options of `serve` that do nothing by themselves, each with what it belongs to.
    private static let idle: [(options: [Option], other: [String], told: String)] = [
        (
            [.filesUser, .filesPassword, .filesPasswordFile], ["--files", "s3://p?endpoint=https://m&region=e"],
            "--files"
        ),
        ([.mapAttribution], ["--map", "https://maps.example/{z}/{x}/{y}.png"], "--map"),
        ([.certificateRules], ["--dcc-keys", "/keys"], "--dcc-keys"),
        (Option.ofProviders.map { $0.of("sms") }, ["--gateway", "sms=twilio"], "--gateway sms=twilio"),
        (
            Option.ofProviders.map { $0.of("email") },
            ["--gateway", "email=smtp://mail.example", "--email-user", "kurir"], "--gateway email=smtp://HOST"
        ),
        ([.firebaseKey], ["--gateway", "push=fcm"], "--gateway push=fcm"),
        (
            [.appleKey, .appleKeyID, .appleTeam, .appleTopic], ["--gateway", "push=apns"], "--gateway push=apns"
        ),
        ([.webhookSecret, .webhookSecretFile], ["--gateway", "sms=https://hook.example"], "a webhook"),
        ([.gatewayInsecure], ["--gateway", "sms=http://hook.example"], "--gateway or --files"),
    ]

    @Test func `an option that does nothing alone is refused, wherever it was given`() throws {
        for (options, other, told) in Self.idle {
            for option in options {
                let value = option.placeholder == nil ? nil : "x"
                let words = ["--\(option.name)"] + (value.map { [$0] } ?? [])
                let given = option.environment.hasPrefix("KURIR_") ? [option.environment: value ?? "true"] : [:]
                // A secret is never on the command line.
                if option.orInFile == nil {
                    let told = "--\(option.name) does nothing without \(told)"
                    #expect(refusal(words)?.contains(told) == true, "\(option.name)")
                    let with = words.first == other.dropLast().last ? other : other + words
                    #expect(refusal(with)?.contains("does nothing") != true, "\(option.name)")
                }
                guard let name = given.keys.first else { continue }
                let told = "\(name) does nothing without \(told)"
                #expect(refusal(environment: given)?.contains(told) == true, "\(name)")
                #expect(refusal(other, environment: given)?.contains("does nothing") != true, "\(name)")
            }
        }
    }

    @Test func `what is left out by its value, or belongs to others, is no option that does nothing`() {
        #expect(refusal(environment: ["KURIR_GATEWAY_INSECURE_TRANSPORT": "false"]) == nil)
        #expect(refusal(environment: ["AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"]) == nil)
    }

    @Test(arguments: [
        (["--gateway", "webpush=off", "--push-hosts", "h"], "--push-hosts does nothing without --gateway webpush=on"),
        (["--gateway", "sms=log", "--sms-sender", "K"], "--sms-sender does nothing without --gateway sms=twilio"),
        (["--gateway", "sms=log", "--secret-file", "/x"], "--secret-file does nothing without a webhook"),
        (["--gateway", "email=log", "--email-user", "k"], "does nothing without --gateway email=smtp://HOST"),
        (
            ["--gateway", "email=smtp://m", "--email-sender", "a@b.example", "--email-password-file", "/x"],
            "--email-password-file does nothing without --email-user"
        ),
        (["--gateway", "push=apns", "--fcm-key", "/x"], "apns wants --apns-topic"),
        (["--gateway", "sms=log", "--insecure-transport"], "does nothing without --gateway or --files"),
        (["--replica", "postgresql://h/x"], "--replica wants --database"),
        (["--tls-key", "/x"], "--tls-cert and --tls-key go together"),
    ])
    func `details of another target do nothing either`(_ arguments: [String], _ hint: String) {
        #expect(refusal(arguments)?.contains(hint) == true)
    }

    @Test func `what a command is about is said once, by its option or by itself`() throws {
        for arguments in [["one", "two"], ["one", "--account", "two"], ["--account", "two", "one"]] {
            #expect(throws: UsageError.self, "\(arguments)") {
                try GivenSettings(
                    Command.showAccount.options, operand: .account, arguments: arguments, environment: [:],
                    command: "account show")
            }
        }
        let given = try GivenSettings(
            Command.showAccount.options, operand: .account, arguments: ["one"],
            environment: ["KURIR_ACCOUNT": "two"], command: "account show")
        #expect(given.text(.account) == "one")
    }

    @Test func `apps are named as their platforms name them`() {
        #expect(refusal("--apple-apps", "TEAM12345.hr.example.courier,TEAM12345.hr.example.other") == nil)
        let print = Array(repeating: "0A", count: 32).joined(separator: ":")
        #expect(refusal("--android-apps", "hr.example.courier=\(print)") == nil)
    }

    @Test func `no address is limited when the throttle is off`() throws {
        let limited = try Configuration(settings("--max-connections-per-address", "7"))
        #expect(limited.server.limits.connectionsPerAddress == 7)
        let free = try Configuration(settings(environment: ["KURIR_THROTTLE": "off"]))
        #expect(free.server.limits.connectionsPerAddress == nil && free.server.limits.waitingPerAddress == nil)
    }

    @Test(arguments: [("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "", 3), ("listen", "lisen", 1)])
    func `the distance of two words counts edits`(_ first: String, _ second: String, _ edits: Int) {
        #expect(Suggestion.distance(first, second) == edits)
        #expect(Suggestion.distance(second, first) == edits)
    }
}
