import Glibc

/// What is wrong with the way Kurir was called, and what to write instead.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The values that a command was given, by command line or environment.
struct GivenSettings: Sendable {
    private var values: [String: Given] = [:]

    private struct Given {
        let text: String
        let origin: String
        let isOnCommandLine: Bool
    }

    /// Reads `arguments`, and takes from `environment` what they leave out. A word without a name is the value of `operand`.
    init(
        _ options: [Option], operand: Option? = nil, arguments: [String], environment: [String: String], command: String
    ) throws {
        for option in options {
            if let text = environment[option.environment], !text.isEmpty {
                values[option.name] = Given(text: text, origin: option.environment, isOnCommandLine: false)
            }
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if let operand, !argument.hasPrefix("-") {
                try refuseSecond(operand)
                values[operand.name] = Given(text: argument, origin: operand.name, isOnCommandLine: true)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard argument.hasPrefix("--"), let option = options.first(where: { "--" + $0.name == parts[0] }) else {
                throw Self.unknown(parts[0], options, command)
            }
            if let file = option.orInFile {
                throw UsageError(
                    "--\(option.name) would stand where others on this machine read it: give it by \(option.environment),"
                        + " or in a file by --\(file)")
            }
            var text = try Self.value(of: option, parts, &rest)
            if !option.isRepeatable { try refuseSecond(option) }
            if option.isRepeatable, let before = values[option.name], before.isOnCommandLine {
                text = before.text + "," + text
            }
            values[option.name] = Given(text: text, origin: "--" + option.name, isOnCommandLine: true)
        }
        try refuseUnknown(environment)
    }

    /// What stands there twice might be meant either way. Values are not quoted, since one may be a secret.
    private func refuseSecond(_ option: Option) throws {
        guard values[option.name]?.isOnCommandLine == true else { return }
        throw UsageError(
            "--\(option.name) is given twice: write it once"
                + (option.placeholder.map { ", as --\(option.name) \($0)" } ?? ""))
    }

    /// Quotes at most a name, since its value, or a word without a name, may be a secret.
    private static func unknown(_ name: String, _ options: [Option], _ command: String) -> UsageError {
        guard name.hasPrefix("-") else {
            return UsageError("\(command) takes options only, and each begins with --. See kurir \(command) --help")
        }
        let names = options.map { "--" + $0.name }
        return UsageError(
            "\(command) does not know \(name)\(Suggestion.for(name, among: names)) See kurir \(command) --help")
    }

    private static func value(
        of option: Option, _ parts: [String], _ rest: inout ArraySlice<String>
    ) throws -> String {
        guard let placeholder = option.placeholder else {
            guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value") }
            return "true"
        }
        guard let next = parts.count == 2 ? parts[1] : rest.popFirst(), !next.isEmpty, !next.hasPrefix("--") else {
            throw UsageError("--\(option.name) wants a value: --\(option.name) \(placeholder)")
        }
        return next
    }

    /// Refuses unknown variables, because one with a mistake in its name would silently do nothing.
    private func refuseUnknown(_ environment: [String: String]) throws {
        let known = Command.allOptions.map(\.environment)
        for name in environment.keys.sorted() where name.hasPrefix("KURIR_") && !known.contains(name) {
            // Kubernetes sets these for every service that is called kurir.
            if name.hasPrefix("KURIR_SERVICE_") || name == "KURIR_PORT" || name.hasPrefix("KURIR_PORT_") { continue }
            throw UsageError("the environment has \(name), which means nothing\(Suggestion.for(name, among: known))")
        }
    }

    /// Whether an option without a value is set. The environment can also say that it is not.
    func has(_ option: Option) throws -> Bool {
        try value(option, expected: "true or false") { ["true": true, "1": true, "false": false, "0": false][$0] }
            ?? false
    }

    func isOnCommandLine(_ option: Option) -> Bool {
        values[option.name]?.isOnCommandLine == true
    }

    func text(_ option: Option) -> String? {
        values[option.name]?.text
    }

    /// The value that `parse` makes of it. If it makes none, the error says what is `expected`.
    func value<Value>(_ option: Option, expected: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let given = values[option.name] else { return nil }
        guard let value = parse(given.text) else {
            throw UsageError("\(given.origin) is \(given.text), but must be \(expected)")
        }
        return value
    }

    /// The file with the certificates that are trusted besides the system's, which must have some.
    func certificates() throws -> String? {
        guard let path = text(.gatewayCertificates) else { return nil }
        guard String(decoding: try file(.gatewayCertificates) ?? [], as: UTF8.self).contains("CERTIFICATE-----") else {
            throw UsageError("--ca is \(path), but there is no certificate in it: a file in PEM")
        }
        return path
    }

    /// A secret, from the environment or from the first line of a file.
    func secret(_ option: Option, orIn file: Option) throws -> String? {
        guard let path = text(file) else { return text(option) }
        guard text(option) == nil else {
            throw UsageError("\(option.environment) and --\(file.name) exclude each other: which one is meant?")
        }
        let content = String(decoding: try self.file(file) ?? [], as: UTF8.self)
        guard let line = content.split(whereSeparator: \.isNewline).first else {
            throw UsageError("\(origin(file)) is \(path), which is empty: its first line must be the secret")
        }
        return String(line)
    }

    /// Where it was said: the option, or the variable of the environment.
    func origin(_ option: Option) -> String { values[option.name]?.origin ?? "--" + option.name }

    /// What is in the file that an option names; nil if it names none.
    func file(_ option: Option) throws -> [UInt8]? {
        guard let path = text(option) else { return nil }
        guard let file = fopen(path, "r") else {
            let reason = String(cString: strerror(errno))
            throw UsageError(
                "\(origin(option)) is \(path), but \(path) cannot be read (\(reason)): name a file that Kurir may read")
        }
        defer { fclose(file) }
        // No key file is longer.
        return [UInt8](unsafeUninitializedCapacity: 65_536) { bytes, count in
            count = fread(bytes.baseAddress, 1, bytes.count, file)
        }
    }

    /// What a list has between its commas. An empty place is a slip, and never nothing.
    static func list<Value>(_ text: String, _ parse: (String) -> Value?) -> [Value]? {
        let values = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let word = String(part.filter { !$0.isWhitespace })
            return word.isEmpty ? nil : parse(word)
        }
        return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }

    func number(_ option: Option, in range: ClosedRange<Int>) throws -> Int? {
        try value(option, expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
