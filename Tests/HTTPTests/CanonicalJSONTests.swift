import Testing

@testable import HTTP

/// The vectors of RFC 8785.
@Suite struct CanonicalJSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try #require(JSON(Array(text.utf8))).canonical, as: UTF8.self)
    }

    /// Its appendix B.
    @Test(
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"), (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"), (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"), (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func `numbers are written as ECMAScript does`(bits: UInt64, text: String) {
        #expect(JSON.canonical(Double(bitPattern: bits)) == text)
    }

    @Test func `a value is written as the RFC shows`() throws {
        let given = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        let wanted =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(try canonical(given) == wanted)
    }

    @Test func `members are in the order of UTF-16`() throws {
        let given = #"""
            {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
             "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}
            """#
        let order = [
            "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
            "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
        ]
        let written = try canonical(given)
        let places = try order.map { try #require(written.ranges(of: $0).first).lowerBound }
        #expect(places == places.sorted())
    }

    @Test(arguments: [
        (
            #"{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}"#,
            #"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#
        ),
        (#"{"Unnormalized Unicode":"A\u030a"}"#, "{\"Unnormalized Unicode\":\"A\u{30a}\"}"),
        (
            #"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","#
                + #""sin":"ignore locale"}"#,
            #"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","#
                + #""sin":"ignore locale"}"#
        ),
        (#"[56,{"d":true,"10":null,"1":[]}]"#, #"[56,{"1":[],"10":null,"d":true}]"#),
        (#""\b\f\t\u007f\u001b""#, "\"\\b\\f\\t\u{7f}\\u001b\""),
        ("[9007199254740993,-0,-0.0,1e0]", "[9007199254740992,0,0,1]"),
    ])
    func `values are written as its author's programs do`(given: String, wanted: String) throws {
        #expect(Array(try canonical(given).utf8) == Array(wanted.utf8))
    }
}
