/// How numbers for value added tax are made in the European Union, and in Northern Ireland.
enum VATRules {
    /// The rule for a number of that country; nil where only its form can be looked at.
    static func of(_ country: Country, _ text: String) -> VATRule? {
        if country.code == "GB" { return text.hasPrefix("XI") ? northernIreland : nil }
        return ofMember(country.code)
    }

    private static func ofMember(_ code: String) -> VATRule? {
        switch code {
        case "AT": VATRule("AT", [VATForm("U" + digits(8), Luhn(1..<8, plus: 8, is: 6))])
        case "BE":
            VATRule(
                "BE", filled: 10,
                [
                    VATForm(
                        digits(10), Where { $0[0] < 2 && $0.number > 0 },
                        Where { ($0.number(0..<8) + $0.number(8..<10)) % 97 == 0 })
                ])
        case "BG":
            VATRule(
                "BG",
                [
                    VATForm(digits(9), DigitByEleven(Array(1...8), else: Array(3...10)) { $0 % 10 }),
                    VATForm(digits(10), BirthDate(bulgarian), DigitByEleven([2, 4, 8, 5, 10, 9, 7, 3, 6]) { $0 % 10 }),
                    VATForm(digits(10), WeightedSum([21, 19, 17, 13, 11, 9, 7, 3, 1, -1], modulo: 10)),
                    VATForm(digits(10), WeightedSum([4, 3, 2, 7, 6, 5, 4, 3, 2, 1], modulo: 11)),
                ])
        case "CY":
            VATRule(
                "CY",
                [
                    VATForm(
                        digits(8) + "l", Where { $0.number(0..<2) != 12 },
                        LetterOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ", at: 8) { values in
                            let ofOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
                            return (0..<8).reduce(0) { $0 + ($1 % 2 == 0 ? ofOdd[values[$1]] : values[$1]) }
                        })
                ])
        case "CZ":
            VATRule(
                "CZ",
                [
                    VATForm(
                        digits(8), Where { $0[0] != 9 },
                        DigitByEleven(falling(from: 8, to: 2)) { $0 == 0 ? 1 : (11 - $0) % 10 }),
                    VATForm("6" + digits(8), DigitByEleven([0] + falling(from: 8, to: 2)) { ($0 + 8) % 10 }),
                    VATForm(digits(9), Where { $0[0] != 6 }, BirthDate(czech)),
                    VATForm(digits(10), BirthDate(czech), Where { $0.number(0..<9) % 11 % 10 == $0[9] }),
                ])
        case "DE": VATRule("DE", [VATForm("n" + digits(8), Mod1110())])
        case "DK": VATRule("DK", [VATForm("n" + digits(7), WeightedSum([2, 7, 6, 5, 4, 3, 2, 1], modulo: 11))])
        case "EE": VATRule("EE", [VATForm(digits(9), WeightedSum([3, 7, 1, 3, 7, 1, 3, 7, 1], modulo: 10))])
        case "ES": VATRule("ES", spanish)
        case "FI": VATRule("FI", [VATForm(digits(8), WeightedSum([7, 9, 10, 5, 8, 4, 2, 1], modulo: 11))])
        case "FR":
            VATRule(
                "FR",
                [
                    // Numbers of Monaco begin with three zeros, and have no check digit of their own.
                    VATForm(
                        "xx" + digits(9), Where { $0.number(2..<5) == 0 || Luhn(2..<11).holds($0) }, Where(hasFrenchKey)
                    )
                ])
        case "GR":
            VATRule(
                "EL", or: "GR", filled: 9,
                [VATForm(digits(9), DigitByEleven([256, 128, 64, 32, 16, 8, 4, 2]) { $0 % 10 })])
        case "HR": VATRule("HR", [VATForm(digits(11), Mod1110())])
        case "HU": VATRule("HU", [VATForm(digits(8), WeightedSum([9, 7, 3, 1, 9, 7, 3, 1], modulo: 10))])
        case "IE": VATRule("IE", irish)
        case "IT":
            VATRule(
                "IT",
                [
                    VATForm(
                        digits(11), Luhn(0..<11), Where { $0.number(0..<7) > 0 },
                        // The office that gave it.
                        Where {
                            (1...100).contains($0.number(7..<10)) || [120, 121, 888, 999].contains($0.number(7..<10))
                        })
                ])
        case "LT": VATRule("LT", [lithuanian(9), lithuanian(12)])
        case "LU": VATRule("LU", [VATForm(digits(8), Where { $0.number(0..<6) % 89 == $0.number(6..<8) })])
        case "LV":
            VATRule(
                "LV",
                [
                    VATForm(
                        digits(11), Where { $0[0] > 3 },
                        WeightedSum([9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1], modulo: 11, is: 3)),
                    VATForm("32" + digits(9), latvianPerson), VATForm(digits(11), BirthDate(latvian), latvianPerson),
                ])
        case "MT": VATRule("MT", [VATForm("n" + digits(7), WeightedSum([3, 4, 6, 7, 8, 9, 10, 1], modulo: 37))])
        case "NL":
            VATRule(
                "NL", filled: 12,
                [
                    VATForm(
                        digits(9) + "Bdd", Where { $0.number(0..<9) > 0 && $0.number(10..<12) > 0 },
                        // Of a business, or of a person who has one.
                        Where { WeightedSum([9, 8, 7, 6, 5, 4, 3, 2, -1], modulo: 11).holds($0) || leavesOne($0) })
                ])
        case "PL": VATRule("PL", [VATForm(digits(10), WeightedSum([6, 5, 7, 2, 3, 4, 5, 6, 7, -1], modulo: 11))])
        case "PT": VATRule("PT", [VATForm("n" + digits(8), DigitByEleven(falling(from: 9, to: 2), complement))])
        case "RO":
            VATRule(
                "RO",
                (2...10).map { VATForm("n" + digits($0 - 1), DigitByEleven([7, 5, 3, 2, 1, 7, 5, 3, 2], complement)) })
        case "SE": VATRule("SE", [VATForm(digits(10) + "01", Luhn(0..<10))])
        case "SI":
            VATRule("SI", [VATForm("n" + digits(7), DigitByEleven(falling(from: 8, to: 2)) { $0 == 1 ? 0 : 11 - $0 })])
        case "SK":
            VATRule(
                "SK",
                [
                    VATForm(
                        "n" + digits(9), Where { [2, 3, 4, 7, 8, 9].contains($0[2]) },
                        WeightedSum([-1, 1, -1, 1, -1, 1, -1, 1, -1, 1], modulo: 11))
                ])
        default: nil
        }
    }

    private static let northernIreland = VATRule(
        "XI",
        [
            VATForm(digits(9), Where(isBritish)), VATForm(digits(12), Where(isBritish)),
            VATForm("GDddd", Where { $0.number(2..<5) < 500 }), VATForm("HAddd", Where { $0.number(2..<5) >= 500 }),
        ])

    private static func digits(_ count: Int) -> String { String(repeating: "d", count: count) }
    private static func falling(from first: Int, to last: Int) -> [Int] { (last...first).reversed() }
    private static let complement: @Sendable (Int) -> Int = { (11 - $0) % 11 % 10 }

    // MARK: Persons

    /// Months count from 21 for those born before 1900, and from 41 from 2000 on.
    private static let bulgarian: @Sendable ([Int]) -> (year: Int, month: Int, day: Int)? = { values in
        let (year, month) = (1900 + values.number(0..<2), values.number(2..<4))
        let century = month > 40 ? 2 : month > 20 ? 1 : 0
        return (year + [0, -100, 100][century], month - 20 * century, values.number(4..<6))
    }

    /// Numbers of nine digits ended with the year 1953. Months count from 51 for women, and 20 on where numbers ran out.
    private static let czech: @Sendable ([Int]) -> (year: Int, month: Int, day: Int)? = { values in
        var year = 1900 + values.number(0..<2)
        if values.count == 9 {
            if year >= 1980 { year -= 100 }
            guard year <= 1953 else { return nil }
        } else if year < 1954 {
            year += 100
        }
        return (year, values.number(2..<4) % 50 % 20, values.number(4..<6))
    }

    private static let latvian: @Sendable ([Int]) -> (year: Int, month: Int, day: Int)? = { values in
        (1800 + 100 * values[6] + values.number(4..<6), values.number(2..<4), values.number(0..<2))
    }
    private static let latvianPerson = DigitByEleven([10, 5, 8, 4, 2, 1, 6, 3, 7, 9]) { ($0 + 1) % 11 % 10 }

    // MARK: Forms of their own

    private static let spanish: [VATForm] = {
        let letters = "TRWAGMYFPDXBNJZSQVHLCKE"
        // Persons of the country, those who live elsewhere or are children, and foreigners.
        let persons =
            [VATForm(digits(8) + "l", LetterOf(letters, at: 8) { $0.number(0..<8) })]
            + ["K", "L", "M"].map { VATForm($0 + digits(7) + "l", LetterOf(letters, at: 8) { $0.number(1..<8) }) }
            + ["X", "Y", "Z"].enumerated().map { place, letter in
                VATForm(letter + digits(7) + "l", LetterOf(letters, at: 8) { place * 10_000_000 + $0.number(1..<8) })
            }
        // Some kinds of organisations end in a digit, others in its letter, and sources do not agree which.
        let organisations = "ABCDEFGHJNPQRSUVW".map { letter in
            VATForm(
                "\(letter)" + digits(7) + "x",
                Where { values in
                    let digit = (10 - Luhn.sum(values[1..<8] + [0]) % 10) % 10
                    return values[8] == digit || values[8] == (digit == 0 ? 19 : 9 + digit)
                })
        }
        return persons + organisations
    }()

    private static let irish: [VATForm] = {
        let letters = "WABCDEFGHIJKLMNOPQRSTUV"
        @Sendable func sum(_ digits: [Int]) -> Int {
            zip(falling(from: 8, to: 2), digits).reduce(0) { $0 + $1.0 * $1.1 }
        }
        // The second letter counts as its place in the alphabet, and W as none.
        let isKnown = Where { (10...32).contains($0[8]) }
        return [
            VATForm(digits(7) + "l", LetterOf(letters, at: 7, sum)),
            VATForm(
                digits(7) + "ll", isKnown,
                LetterOf(letters, at: 7) { sum($0) + 9 * ($0[8] == 32 ? 0 : $0[8] - 9) }),
        ]
            + ["l", "+", "*"].map { second in
                VATForm("d\(second)" + digits(5) + "l", LetterOf(letters, at: 7) { sum([0] + $0[2..<7] + [$0[0]]) })
            }
    }()

    private static func lithuanian(_ length: Int) -> VATForm {
        let places = Array(0..<length - 1)
        return VATForm(
            digits(length - 2) + "1d",
            DigitByEleven(places.map { 1 + $0 % 9 }, else: places.map { 1 + ($0 + 2) % 9 }) { $0 % 10 })
    }

    /// The two characters in front are a remainder by 97, or, where one is a letter, two by 11.
    private static let hasFrenchKey: @Sendable ([Int]) -> Bool = { values in
        let siren = values.number(2..<11)
        if values[0] < 10, values[1] < 10 { return values.number(0..<2) == (siren * 100 + 12) % 97 }
        // I and O are no part of it.
        guard !values[0..<2].contains(where: { $0 == 18 || $0 == 24 }) else { return false }
        let key = values[0..<2].map { $0 > 24 ? $0 - 2 : $0 > 18 ? $0 - 1 : $0 }
        let check = key[0] < 10 ? key[0] * 24 + key[1] - 10 : key[0] * 34 + key[1] - 100
        return (siren + 1 + check / 11) % 11 == check % 11
    }

    /// With its letters as numbers, and with those of the country in front, it leaves one by 97.
    private static func leavesOne(_ values: [Int]) -> Bool {
        ([23, 21] + values).reduce(0) { ($0 * ($1 < 10 ? 10 : 100) + $1) % 97 } == 1
    }

    private static let isBritish: @Sendable ([Int]) -> Bool = { values in
        let sum = zip([8, 7, 6, 5, 4, 3, 2, 10, 1], values).reduce(0) { $0 + $1.0 * $1.1 } % 97
        return sum == 0 || values.number(0..<3) >= 100 && [42, 55].contains(sum)
    }
}
