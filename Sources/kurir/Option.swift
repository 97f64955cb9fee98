/// An option of the command line, which the environment can give as well.
struct Option: Sendable {
    /// The name without the dashes.
    let name: String
    /// The placeholder for its value in the help; nil for an option without a value.
    let placeholder: String?
    /// The variable that sets it if the command line does not.
    let environment: String
    /// Its description in the help.
    let help: String
    /// Whether it can be given several times, for a list.
    var isRepeatable = false
    /// For a secret, which the command line must not have: the option that names a file with it.
    var orInFile: String?

    static let listen = Option(
        name: "listen", placeholder: "HOST:PORT", environment: "KURIR_LISTEN",
        help: "where to listen; port 0 takes a free one (127.0.0.1:8080)")
    static let adminListen = Option(
        name: "admin-listen", placeholder: "HOST:PORT|off", environment: "KURIR_ADMIN_LISTEN",
        help: "where operators see the figures and why a node is not ready (127.0.0.1:9464)")
    static let drainSeconds = Option(
        name: "drain-seconds", placeholder: "SECONDS", environment: "KURIR_DRAIN_SECONDS",
        help: "how long after SIGTERM /readyz says no before Kurir stops accepting, so that balancers leave it out (0)")
    static let database = Option(
        name: "database", placeholder: "URL", environment: "DATABASE_URL",
        help: "the PostgreSQL to use, as postgresql://…; without it the private one in --data-dir, which serve runs")
    static let keyFile = Option(
        name: "key-file", placeholder: "FILE", environment: "KURIR_KEY_FILE",
        help: "the keys that what is secret is sealed with, made by kurir keys make (kurir.key in --data-dir)")
    static let replica = Option(
        name: "replica", placeholder: "URL", environment: "KURIR_REPLICA",
        help: "a replica of that PostgreSQL for searches, figures and exports, which may be some seconds behind")
    static let dataDirectory = Option(
        name: "data-dir", placeholder: "DIR", environment: "KURIR_DATA_DIR",
        help: "where the private PostgreSQL keeps its data (./kurir-data)")
    static let demo = Option(
        name: "demo", placeholder: nil, environment: "KURIR_DEMO",
        help: "a trial: data in a directory of its own that goes away at the end")
    static let loops = Option(
        name: "loops", placeholder: "N", environment: "KURIR_LOOPS",
        help: "threads that serve requests (one a core)")
    static let poolSize = Option(
        name: "pool-size", placeholder: "N", environment: "KURIR_POOL_SIZE",
        help: "database connections of each such thread (8, and fewer where there are many threads)")
    static let maximumConnections = Option(
        name: "max-connections", placeholder: "N", environment: "KURIR_MAX_CONNECTIONS",
        help: "clients' connections open at once (20000)")
    static let maximumConnectionsPerAddress = Option(
        name: "max-connections-per-address", placeholder: "N", environment: "KURIR_MAX_CONNECTIONS_PER_ADDRESS",
        help: "the same for one address, trusted proxies aside (256)")
    static let maximumRequests = Option(
        name: "max-requests", placeholder: "N", environment: "KURIR_MAX_REQUESTS",
        help: "requests under way at once (10000)")
    static let maximumRequestsPerAddress = Option(
        name: "max-requests-per-address", placeholder: "N", environment: "KURIR_MAX_REQUESTS_PER_ADDRESS",
        help: "the same for one client, also behind a trusted proxy (256)")
    static let throttle = Option(
        name: "throttle", placeholder: "on|off|N", environment: "KURIR_THROTTLE",
        help:
            "N lets N times as many tries through; off lifts limits per address, too, for tests and trusted networks (on)"
    )
    static let publicURL = Option(
        name: "public-url", placeholder: "URL", environment: "KURIR_PUBLIC_URL",
        help: "where people reach Kurir, for the links it sends (http:// and where it listens)")
    static let tlsCertificate = Option(
        name: "tls-cert", placeholder: "FILE", environment: "KURIR_TLS_CERT",
        help:
            "the certificate to speak TLS by, with those behind it, in PEM; read again when it changes (a proxy does TLS)"
    )
    static let tlsKey = Option(
        name: "tls-key", placeholder: "FILE", environment: "KURIR_TLS_KEY", help: "its key, in PEM")
    static let appleApps = Option(
        name: "apple-apps", placeholder: "IDS", environment: "KURIR_APPLE_APPS",
        help: "iOS apps that open invites' links, as in TEAM12345.hr.example.courier")
    static let androidApps = Option(
        name: "android-apps", placeholder: "APPS", environment: "KURIR_ANDROID_APPS",
        help: "Android apps that do, each as PACKAGE=SHA256 of its signing certificate")
    static let eventDays = Option(
        name: "event-days", placeholder: "DAYS", environment: "KURIR_EVENT_DAYS",
        help: "how long accounts' feeds keep what has happened (30)")
    static let messageDays = Option(
        name: "message-days", placeholder: "DAYS", environment: "KURIR_MESSAGE_DAYS",
        help: "how long messages that were sent or given up are kept, by whole weeks (30)")
    static let recipientDays = Option(
        name: "recipient-days", placeholder: "DAYS", environment: "KURIR_RECIPIENT_DAYS",
        help: "how long deliveries that are over tell whom they went to, before that is erased (90)")
    static let photoDays = Option(
        name: "photo-days", placeholder: "DAYS", environment: "KURIR_PHOTO_DAYS",
        help: "how long pictures that were taken when handing over are kept (90)")
    static let conversationDays = Option(
        name: "conversation-days", placeholder: "DAYS", environment: "KURIR_CONVERSATION_DAYS",
        help: "how long what is said in conversations is kept, by whole weeks (365)")
    static let trailDays = Option(
        name: "trail-days", placeholder: "DAYS", environment: "KURIR_TRAIL_DAYS",
        help: "how long it is kept where couriers went who carried something (7)")
    static let mostJobs = Option(
        name: "max-jobs", placeholder: "N", environment: "KURIR_MAX_JOBS",
        help: "how many deliveries a courier may carry at once (20)")
    static let geocoder = Option(
        name: "geocoder", placeholder: "photon:URL|nominatim:URL", environment: "KURIR_GEOCODER",
        help: "completes addresses while they are typed; it is told what is typed, and roughly near where (none)")
    static let router = Option(
        name: "router", placeholder: "URL", environment: "KURIR_ROUTER",
        help: "a router that speaks OSRM's protocol, for distances and times by road (straight lines)")
    static let weather = Option(
        name: "weather", placeholder: "open-meteo[:URL]", environment: "KURIR_WEATHER",
        help: "where the weather is known; it is told places to some two kilometres (none)")
    static let radars = Option(
        name: "radars", placeholder: "on|off", environment: "KURIR_RADARS",
        help: "whether speed traps may be reported and are shown: off where the law wants that (on)")
    static let roadsFile = Option(
        name: "file", placeholder: "FILE", environment: "KURIR_ROADS_FILE",
        help: "reports of the road: a list in JSON, or GeoJSON")
    static let roadsSource = Option(
        name: "source", placeholder: "NAME", environment: "KURIR_ROADS_SOURCE",
        help: "whose reports they are where the file does not say it (import)")
    static let roadsReplace = Option(
        name: "replace", placeholder: nil, environment: "KURIR_ROADS_REPLACE",
        help: "end what the sources in the file have said before and say no more")
    static let roadsStrict = Option(
        name: "strict", placeholder: nil, environment: "KURIR_ROADS_STRICT",
        help: "take all of the file, or nothing if one entry is wrong")
    static let roadsKind = Option(
        name: "kind", placeholder: "KIND", environment: "KURIR_ROADS_KIND",
        help: "only reports of that kind, as in roadworks")
    static let files = Option(
        name: "files", placeholder: "s3://BUCKET?endpoint=URL&region=NAME", environment: "KURIR_FILES",
        help: "a store that speaks S3, for pictures that hang on steps (the database)")
    static let filesUser = Option(
        name: "files-user", placeholder: "ID", environment: "AWS_ACCESS_KEY_ID", help: "--files: the access key's id")
    static let filesPassword = Option(
        name: "files-password", placeholder: "TEXT", environment: "AWS_SECRET_ACCESS_KEY",
        help: "--files: the access key's secret", orInFile: "files-password-file")
    static let filesPasswordFile = Option(
        name: "files-password-file", placeholder: "FILE", environment: "KURIR_FILES_PASSWORD_FILE",
        help: "a file with that secret")
    static let map = Option(
        name: "map", placeholder: "URL|FILE.mbtiles", environment: "KURIR_MAP",
        help:
            "what maps are drawn on: https://…/{z}/{x}/{y}.png, which browsers load, or a file of tiles (a plain grid)")
    static let mapAttribution = Option(
        name: "map-attribution", placeholder: "TEXT", environment: "KURIR_MAP_ATTRIBUTION",
        help: "whose map it is, as its licence wants it said (what the file says)")
    static let certificateKeys = Option(
        name: "dcc-keys", placeholder: "FILE", environment: "KURIR_DCC_KEYS",
        help:
            "whose signatures on EU Digital COVID Certificates are believed: JSON of key ids and keys in base64; SIGHUP rereads it"
    )
    static let certificateRules = Option(
        name: "dcc-rules", placeholder: "FILE", environment: "KURIR_DCC_RULES",
        help: "for how long such certificates are good, as JSON; SIGHUP rereads it (180 and 270 days, 72 and 48 hours)")
    static let smsBudget = Option(
        name: "sms-budget", placeholder: "STORE,NUMBER,ALL", environment: "KURIR_SMS_BUDGET",
        help: "how many SMS: of a store a day, to a number a day, in all an hour (100,5,1000)")
    static let smsCountries = Option(
        name: "sms-countries", placeholder: "COUNTRIES", environment: "KURIR_SMS_COUNTRIES",
        help: "the countries whose numbers get SMS, as in HR,SI; never numbers at a premium (HR)")
    static let rates = Option(
        name: "rates", placeholder: "DELIVERIES,WRITES,TOLD", environment: "KURIR_RATES",
        help: "how many an hour: deliveries of a store, changes by an account, devices a store tells (600,6000,20000)")
    static let storeApproval = Option(
        name: "store-approval", placeholder: "on|off", environment: "KURIR_STORE_APPROVAL",
        help: "on: new stores invite and create only after kurir account approve (off)")
    static let trustedProxies = Option(
        name: "trusted-proxies", placeholder: "NETWORKS", environment: "KURIR_TRUSTED_PROXIES",
        help: "whose X-Forwarded-For is believed, as in 10.0.0.0/8,::1")
    static let allowedOrigins = Option(
        name: "allowed-origins", placeholder: "ORIGINS", environment: "KURIR_ALLOWED_ORIGINS",
        help: "web origins whose scripts may call, as in https://shop.example; * for all")
    static let logFormat = Option(
        name: "log-format", placeholder: "text|json", environment: "KURIR_LOG_FORMAT",
        help: "how log lines on standard error are written (text)")
    static let shutdownGrace = Option(
        name: "shutdown-grace", placeholder: "SECONDS", environment: "KURIR_SHUTDOWN_GRACE",
        help: "how long what is under way may go on after SIGTERM (5)")
    static let gatewayName = Option(
        name: "name", placeholder: "NAME", environment: "KURIR_GATEWAY_NAME",
        help: "what the gateway is called, for those who read the list")
    static let gatewayChannels = Option(
        name: "channel", placeholder: "sms,push,email", environment: "KURIR_GATEWAY_CHANNEL",
        help: "the channels that the gateway takes messages of")
    static let gatewayRole = Option(
        name: "role", placeholder: "ROLE", environment: "KURIR_GATEWAY_ROLE",
        help: "for a gateway in the database: its role, which then takes these channels alone and needs no key")
    static let gatewayExpires = Option(
        name: "expires", placeholder: "DATE", environment: "KURIR_GATEWAY_EXPIRES",
        help: "the last day on which it is good, as in 2027-12-31 (it does not end)")
    static let gatewayKey = Option(
        name: "id", placeholder: "ID", environment: "KURIR_GATEWAY_KEY_ID",
        help: "which key, as kurir gateway-key list shows it")
    static let gatewayTarget = Option(
        name: "to", placeholder: "URL|log|twilio|fcm|apns|smtp://…", environment: "KURIR_GATEWAY_TO",
        help:
            "where messages go: a webhook, standard output, or a provider; fcm,apns for both; twilio+URL for another host"
    )
    static let ownGateways = Option(
        name: "gateway", placeholder: "CHANNEL=TARGET", environment: "KURIR_GATEWAYS",
        help:
            "what this Kurir sends on by itself: sms=, email= and push= what gateway run has for --to; webpush=on|off (on)",
        isRepeatable: true)
    static let pushHosts = Option(
        name: "push-hosts", placeholder: "HOSTS", environment: "KURIR_PUSH_HOSTS",
        help: "push services for browsers that may be in a network of one's own")
    static let offersBySMS = Option(
        name: "offers-by-sms", placeholder: "on|off", environment: "KURIR_OFFERS_BY_SMS",
        help: "on: couriers without a device are told by SMS, once in ten minutes, how many offers wait (off)")
    static let webhookSecret = Option(
        name: "secret", placeholder: "whsec_…", environment: "KURIR_WEBHOOK_SECRET",
        help: "what webhooks are signed with (the one that kurir gateway secret prints)", orInFile: "secret-file")
    static let webhookSecretFile = Option(
        name: "secret-file", placeholder: "FILE", environment: "KURIR_WEBHOOK_SECRET_FILE",
        help: "a file with that secret")
    static let gatewayInsecure = Option(
        name: "insecure-transport", placeholder: nil, environment: "KURIR_GATEWAY_INSECURE_TRANSPORT",
        help: "lets messages go without TLS, where nobody is on the way")
    static let gatewayUser = Option(
        name: "user", placeholder: "NAME", environment: "KURIR_GATEWAY_USER",
        help: "twilio: the account's SID; smtp: the user, if the server wants one")
    static let gatewayPassword = Option(
        name: "password", placeholder: "TEXT", environment: "KURIR_GATEWAY_PASSWORD",
        help: "twilio: the auth token; smtp: the password", orInFile: "password-file")
    static let gatewayPasswordFile = Option(
        name: "password-file", placeholder: "FILE", environment: "KURIR_GATEWAY_PASSWORD_FILE",
        help: "a file with that token or password")
    static let gatewaySender = Option(
        name: "sender", placeholder: "ADDRESS", environment: "KURIR_GATEWAY_SENDER",
        help: "from whom SMS and e-mail come")
    static let firebaseKey = Option(
        name: "fcm-key", placeholder: "FILE", environment: "KURIR_FCM_KEY",
        help: "fcm: the key file of a service account")
    static let appleKey = Option(
        name: "apns-key", placeholder: "FILE", environment: "KURIR_APNS_KEY", help: "apns: the .p8 file")
    static let appleKeyID = Option(
        name: "apns-key-id", placeholder: "ID", environment: "KURIR_APNS_KEY_ID", help: "apns: that key's id")
    static let appleTeam = Option(
        name: "apns-team", placeholder: "ID", environment: "KURIR_APNS_TEAM", help: "apns: the developer team")
    static let appleTopic = Option(
        name: "apns-topic", placeholder: "APP", environment: "KURIR_APNS_TOPIC",
        help: "apns: the app, as in hr.example.courier")
    static let gatewayCertificates = Option(
        name: "ca", placeholder: "FILE", environment: "KURIR_GATEWAY_CA",
        help: "certificates to trust besides the system's, for a receiver with a CA of its own")
    static let gatewayMost = Option(
        name: "concurrency", placeholder: "N", environment: "KURIR_GATEWAY_CONCURRENCY",
        help: "messages under way at once (64)")
    static let simulatedServer = Option(
        name: "server", placeholder: "URL", environment: "KURIR_SIMULATE_SERVER",
        help: "the server, which gets many deliveries of people who do not exist (http://127.0.0.1:8080)")
    static let simulatedSeed = Option(
        name: "seed", placeholder: "N", environment: "KURIR_SIMULATE_SEED",
        help: "which story: the same seed gives the same one, once on a server (1)")
    static let simulatedStores = Option(
        name: "stores", placeholder: "N", environment: "KURIR_SIMULATE_STORES", help: "how many stores (5)")
    static let simulatedCouriers = Option(
        name: "couriers", placeholder: "N", environment: "KURIR_SIMULATE_COURIERS", help: "how many couriers (18)")
    static let simulatedDays = Option(
        name: "days", placeholder: "N", environment: "KURIR_SIMULATE_DAYS", help: "how many days it lasts (1)")
    static let simulatedSpeed = Option(
        name: "speed", placeholder: "N", environment: "KURIR_SIMULATE_SPEED",
        help: "how many times faster than life; without it as fast as the server answers")
    static let simulatedPast = Option(
        name: "past", placeholder: nil, environment: "KURIR_SIMULATE_PAST",
        help: "it happened on the days before today; only a demo (serve --demo) can be told so")
    static let auditDays = Option(
        name: "days", placeholder: "DAYS", environment: "KURIR_AUDIT_DAYS", help: "how far back to look (7)")
    static let auditAccount = Option(
        name: "account", placeholder: "ID", environment: "KURIR_AUDIT_ACCOUNT",
        help: "only what happened to this account")
    static let verify = Option(
        name: "verify", placeholder: "on|off", environment: "KURIR_VERIFY",
        help:
            "whether people prove numbers and e-mail addresses by codes (on; off for a trial, and on loopback without --public-url)"
    )
    static let number = Option(
        name: "number", placeholder: "NUMBER", environment: "KURIR_SMS_NUMBER", help: "whose: as in +385912345678")
    static let proofFile = Option(
        name: "file", placeholder: "FILE", environment: "KURIR_PROOF_FILE",
        help: "the proof, as GET /v1/deliveries/{id}/proof gives it")
    static let proofKeys = Option(
        name: "key", placeholder: "FILE|URL", environment: "KURIR_PROOF_KEY",
        help:
            "the public keys of who signed, as /.well-known/kurir-proof-keys gives them; without them nobody is trusted"
    )
    static let proofPhotos = Option(
        name: "photos", placeholder: "DIR", environment: "KURIR_PROOF_PHOTOS",
        help: "where the pictures are, each under its id, its SHA-256, or any name")
    static let account = Option(
        name: "account", placeholder: "ID", environment: "KURIR_ACCOUNT",
        help: "which account: its id, or the number or e-mail address that it signs in with")
    static let accountKind = Option(
        name: "kind", placeholder: "KIND", environment: "KURIR_ACCOUNT_KIND", help: "only store or only courier")
    static let accountText = Option(
        name: "q", placeholder: "TEXT", environment: "KURIR_ACCOUNT_Q",
        help: "only those whose name, number or e-mail address has this in it")
    static let reason = Option(
        name: "reason", placeholder: "TEXT", environment: "KURIR_REASON", help: "why, for the audit")
    static let actingName = Option(
        name: "as", placeholder: "NAME", environment: "KURIR_AS",
        help: "who does it, for the audit (the name of the system's user)")
    static let bulletinFeed = Option(
        name: "from", placeholder: "FILE|URL", environment: "KURIR_BULLETIN_FROM", help: "the feed")
    static let bulletinSource = Option(
        name: "source", placeholder: "NAME", environment: "KURIR_BULLETIN_SOURCE",
        help: "where it comes from, as readers see it (the feed's title; else Kurir)")
    static let bulletinCategory = Option(
        name: "category", placeholder: "news|road|weather", environment: "KURIR_BULLETIN_CATEGORY",
        help: "what it is about (news)")
    static let bulletinTitle = Option(
        name: "title", placeholder: "TEXT", environment: "KURIR_BULLETIN_TITLE", help: "what stands above it")
    static let bulletinText = Option(
        name: "text", placeholder: "TEXT", environment: "KURIR_BULLETIN_TEXT", help: "what it says")
    static let bulletinLink = Option(
        name: "link", placeholder: "URL", environment: "KURIR_BULLETIN_LINK", help: "where there is more")
    static let bulletin = Option(
        name: "id", placeholder: "ID", environment: "KURIR_BULLETIN_ID", help: "which one, as GET /v1/bulletin tells it"
    )
    static let roadFile = Option(
        name: "file", placeholder: "FILE", environment: "KURIR_ROADS_FILE", help: "the reports")
    static let status = Option(
        name: "status", placeholder: nil, environment: "KURIR_MIGRATE_STATUS",
        help: "only show what is applied and what is not")
}
