import Glibc

// embed DIRECTORY OUTPUT FILE… writes the files into a source, by their paths in the directory.

let arguments = Array(CommandLine.arguments.dropFirst())
let (directory, output) = (arguments[0] + "/", arguments[1])

func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fatalError("\(path) cannot be read") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { fatalError("\(path) cannot be read") }
    return bytes
}

var source = """
    /// The texts of this target, by their paths, in their order.
    enum Embedded {
        static let files: [(path: String, bytes: [UInt8])] = [

    """
let files = arguments.dropFirst(2)
for (place, path) in files.enumerated() {
    source += "        (\"\(path.dropFirst(directory.count))\", file\(place)),\n"
}
source += "    ]\n"
// They are texts, and stand there as texts: a compiler reads these far sooner than lists of bytes.
let (begin, end) = ("####\"\"\"\n", "\n\"\"\"####")
for (place, path) in files.enumerated() {
    let text = String(decoding: bytes(of: path), as: UTF8.self)
    guard !text.contains("\"\"\"####"), !text.contains("\r") else { fatalError("\(path) cannot stand in a source") }
    source += "    private static let file\(place) = Array(\(begin)\(text)\(end).utf8)\n"
}
source += "}\n"
guard let file = fopen(output, "w"), fputs(source, file) >= 0, fclose(file) == 0 else {
    fatalError("\(output) cannot be written")
}
