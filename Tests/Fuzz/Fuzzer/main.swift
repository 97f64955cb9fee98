// libFuzzer on one property: `fuzz NAME` and libFuzzer's own arguments.

/// How libFuzzer is begun from a program that has its own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ tryOne: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

let property = Property.all.first { $0.name == CommandLine.arguments.dropFirst().first }
if property == nil { fatalError("name what is to be tried, of \(Property.all.map(\.name))") }
// The name takes the place of the program's.
var arguments = CommandLine.unsafeArgv + 1
var count = CommandLine.argc - 1
_ = runDriver(&count, &arguments) { start, count in
    do {
        try property?.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
