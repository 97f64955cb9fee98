extension Request {
    /// The body, if it is JSON in UTF-8 and says so once, and is not said to be compressed.
    public func json() throws -> JSON {
        guard isJSON, !isRepeated("content-type"), header("content-encoding") == nil else {
            throw Problem.unsupportedMediaType
        }
        guard let value = JSON(body) else { throw Problem.malformedJSON }
        return value
    }

    private var isJSON: Bool {
        let type = header("content-type")?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.filter { !$0.isWhitespace } == "application/json"
    }
}
