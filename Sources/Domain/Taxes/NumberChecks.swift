/// What the characters of a number must add up to. Digits count as themselves, and letters as 10 to 35.
protocol NumberCheck: Sendable {
    func holds(_ values: [Int]) -> Bool
}

/// All characters, each times its weight, leave that remainder.
struct WeightedSum: NumberCheck {
    let weights: [Int]
    let modulus: Int
    let remainder: Int

    init(_ weights: [Int], modulo modulus: Int, is remainder: Int = 0) {
        (self.weights, self.modulus, self.remainder) = (weights, modulus, remainder)
    }

    func holds(_ values: [Int]) -> Bool {
        let sum = zip(weights, values).reduce(0) { $0 + $1.0 * $1.1 }
        return ((sum % modulus) + modulus) % modulus == remainder
    }
}

/// The last digit follows from the remainder by 11 of the others, each times its weight; where that is 10, perhaps of the
/// others by another row of weights. Weights stand from the right.
struct DigitByEleven: NumberCheck {
    let weights: [Int]
    let others: [Int]?
    let digit: @Sendable (_ remainder: Int) -> Int

    init(_ weights: [Int], else others: [Int]? = nil, _ digit: @escaping @Sendable (_ remainder: Int) -> Int) {
        (self.weights, self.others, self.digit) = (weights, others, digit)
    }

    func holds(_ values: [Int]) -> Bool {
        func remainder(_ weights: [Int]) -> Int {
            zip(weights.reversed(), values.dropLast().reversed()).reduce(0) { $0 + $1.0 * $1.1 } % 11
        }
        var found = remainder(weights)
        if found == 10, let others { found = remainder(others) }
        return digit(found) == values.last
    }
}

/// Every second digit counts twice, with its digits added up, from the last but one of that part on; as on credit cards.
struct Luhn: NumberCheck {
    let part: Range<Int>
    /// The place of a digit that is added to the sum.
    let extra: Int?
    let remainder: Int

    init(_ part: Range<Int>, plus extra: Int? = nil, is remainder: Int = 0) {
        (self.part, self.extra, self.remainder) = (part, extra, remainder)
    }

    func holds(_ values: [Int]) -> Bool {
        (Self.sum(values[part]) + (extra.map { values[$0] } ?? 0)) % 10 == remainder
    }

    static func sum(_ values: ArraySlice<Int>) -> Int {
        values.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.element * (digit.offset % 2 + 1)
            return sum + value / 10 + value % 10
        }
    }
}

/// ISO 7064 MOD 11,10.
struct Mod1110: NumberCheck {
    func holds(_ values: [Int]) -> Bool {
        let remainder = values.dropLast().reduce(10) { remainder, digit in
            let sum = (remainder + digit) % 10
            return (sum == 0 ? 10 : sum) * 2 % 11
        }
        return (11 - remainder) % 10 == values.last
    }
}

/// A letter is that of an alphabet which the other characters count up to.
struct LetterOf: NumberCheck {
    let alphabet: [Int]
    let place: Int
    let count: @Sendable (_ values: [Int]) -> Int

    init(_ alphabet: String, at place: Int, _ count: @escaping @Sendable (_ values: [Int]) -> Int) {
        self.alphabet = alphabet.utf8.map { Int($0) - 0x37 }
        (self.place, self.count) = (place, count)
    }

    func holds(_ values: [Int]) -> Bool { alphabet[count(values) % alphabet.count] == values[place] }
}

/// It begins with a date of birth.
struct BirthDate: NumberCheck {
    let date: @Sendable (_ values: [Int]) -> (year: Int, month: Int, day: Int)?

    init(_ date: @escaping @Sendable (_ values: [Int]) -> (year: Int, month: Int, day: Int)?) { self.date = date }

    func holds(_ values: [Int]) -> Bool {
        guard let (year, month, day) = date(values), (1...12).contains(month) else { return false }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        return (1...days).contains(day)
    }
}

/// What is a country's own.
struct Where: NumberCheck {
    let isSo: @Sendable (_ values: [Int]) -> Bool

    init(_ isSo: @escaping @Sendable (_ values: [Int]) -> Bool) { self.isSo = isSo }

    func holds(_ values: [Int]) -> Bool { isSo(values) }
}

extension [Int] {
    /// The number that some of the digits make.
    func number(_ part: Range<Int>) -> Int { self[part].reduce(0) { $0 * 10 + $1 } }

    /// The number that all of them make.
    var number: Int { number(indices) }
}
