import Foundation
import TestSupport

/// A program that a test runs, with what it says on its two outputs.
final class Program: Sendable {
    private let process: Process
    private let output: String
    private let errors: String
    private let note: String

    /// Starts a program by its name or path. Nothing of the test's environment reaches it but `PATH`.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], errors sink: FileHandle? = nil)
        throws
    {
        output = TemporaryDirectory.path("output")
        errors = TemporaryDirectory.path("errors")
        for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [path] + arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = sink ?? FileHandle(forWritingAtPath: errors)
        try process.run()
        note = TemporaryDirectory.note(running: process.processIdentifier)
    }

    var number: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var said: String { Self.text(output) }
    var complained: String { Self.text(errors) }

    func signal(_ signal: Int32) {
        kill(number, signal)
    }

    /// Waits for its end and says its exit code.
    @discardableResult
    func end() async throws -> Int32 {
        try await blocking { [process, note] in
            process.waitUntilExit()
            unlink(note)
            return process.terminationStatus
        }
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
