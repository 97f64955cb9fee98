/// Ends a sentence with what somebody probably meant.
enum Suggestion {
    static func `for`(_ word: String, among known: [String]) -> String {
        let nearest = known.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, word.count / 3) else { return "." }
        return ": did you mean \(nearest.name)?"
    }

    /// How many characters must be inserted, removed or changed (Levenshtein).
    static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (line, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let changed = diagonal + (character == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[second.count]
    }
}
