import Domain
import Testing

@Suite struct MobileNumberTests {
    @Test(arguments: [
        ("385911234567", 3), ("4915112345678", 2), ("12425550100", 1), ("77012345678", 1), ("447700900123", 2),
        ("999", 3),
    ])
    func `a number begins with its country's code`(_ digits: String, _ length: Int) {
        #expect(CallingCodes.length(of: digits) == length)
    }

    @Test(arguments: ["91", "92", "95", "97", "98", "99"])
    func `Croatian mobile numbers are taken`(network: String) throws {
        #expect(try MobileNumber("0\(network) 123 4567").phone.e164 == "+385\(network)1234567")
        #expect(try MobileNumber("+385 \(network) 765 432").phone.e164 == "+385\(network)765432")
    }

    @Test(arguments: ["01 4828 111", "021/312-345", "090 123 4567", "096 123 4567", "0800 1234 56", "+385 60 123 456"])
    func `other Croatian numbers are refused`(text: String) {
        #expect(refusal { () throws(InvalidValue) in try MobileNumber(text) } == InvalidValue("not_mobile"))
    }

    @Test(arguments: ["+386 1 123 4567", "+49 30 901820", "+1 202 555 0123"])
    func `numbers of countries whose plan is not known here are taken`(text: String) throws {
        #expect(try MobileNumber(text).phone == PhoneNumber(text))
    }

    @Test func `what is no number at all is refused as that`() {
        #expect(refusal { () throws(InvalidValue) in try MobileNumber("12") } == InvalidValue("invalid_phone"))
    }
}
