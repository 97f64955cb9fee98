import Domain

extension Property {
    /// What people write of themselves and others. What was taken once is taken again, as it is, and keeps its bounds.
    static let people = Property("people") { bytes in
        let text = bytes.text
        if let email = try? EmailAddress(text) {
            try require(try EmailAddress(email.text), is: email, "the address")
            let parts = email.text.split(separator: "@", omittingEmptySubsequences: false)
            try require(email.text.utf8.count <= 254 && parts.count == 2, "the address \(email.text)")
            try require(email.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "the address \(email.text)")
            try require(try EmailAddress(email.key).key, is: email.key, "its key")
        }
        if let phone = try? PhoneNumber(text) {
            try require(try PhoneNumber(phone.e164), is: phone, "the number")
            let digits = phone.e164.dropFirst()
            try require(phone.e164.hasPrefix("+") && (8...15).contains(digits.utf8.count), "the number \(phone.e164)")
            try require(digits.utf8.allSatisfy { (0x30...0x39).contains($0) }, "the number \(phone.e164)")
            try require(try PhoneNumber("00" + digits), is: phone, "the number as it is dialled")
        }
        if let tax = try? TaxID(text) {
            try require(try TaxID("HR " + tax.number), is: tax, "the number of the European Union")
            try require(tax.number.utf8.count, is: 11, "the digits \(tax.number)")
        }
        for country in countries {
            guard let tax = try? TaxID(text, in: country) else { continue }
            try require(try TaxID(tax.number, in: country), is: tax, "the number of \(country.code)")
            try require((2...20).contains(tax.number.utf8.count), "the number \(tax.number)")
            let known = tax.number.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || [0x2a, 0x2b].contains($0)
            }
            try require(known, "the number \(tax.number)")
        }
        if let country = try? Country(text) { try require(try Country(country.code), is: country, "the country") }
        if let mobile = try? MobileNumber(text) {
            try require(try MobileNumber(mobile.phone.e164), is: mobile, "the mobile number")
        }
        try written(text)
    }

    private static let countries = ["AT", "BE", "ES", "FR", "GB", "GR", "HR", "IE", "NL", "RO", "US"].map(
        Country.init(known:))

    private static func written(_ text: String) throws {
        for (rule, ends) in [(Texts.line, false), (Texts.paragraph, true)] {
            guard let taken = try? rule(text, 20) else { continue }
            try require(try rule(taken, 20).bytes, is: taken.bytes, "taken again")
            try require(taken.count <= 20 && taken.utf8.count <= 80, "\(taken.count) characters")
            try require(ends || !taken.contains(where: \.isNewline), "lines")
            try require(!taken.utf8.contains { $0 < 0x20 && !(ends && [9, 10].contains($0)) }, "control characters")
        }
        if let password = try? Password(text) {
            try require((8...128).contains(password.text.count), "\(password.text.count) characters")
            try require(password.text.bytes, is: text.bytes, "another password")
        }
    }
}
