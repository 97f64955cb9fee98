import Domain
import Testing

@Suite struct IDTests {
    @Test func `ids are written in lower case and read in any`() {
        let id = ID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(ID("01234567-89ab-cdef-fedc-ba9876543210") == id)
        #expect(ID("01234567-89AB-CDEF-fedc-BA9876543210") == id)
        #expect(ID(high: 0, low: 0).description == "00000000-0000-0000-0000-000000000000")
        #expect(ID(ID(high: .max, low: .max).description) == ID(high: .max, low: .max))
    }

    @Test(arguments: [
        "", "-", "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321",
        "01234567-89ab-cdef-fedc-ba98765432100", "{01234567-89ab-cdef-fedc-ba9876543210}",
        " 01234567-89ab-cdef-fedc-ba9876543210", "01234567-89ab-cdef-fedc-ba9876543210 ",
        "0123456-789ab-cdef-fedc-ba9876543210", "01234567-89ab-cdef-fedc-ba987654321g",
        "01234567_89ab_cdef_fedc_ba9876543210", "01234567-89ab-cdef-fedc-ba98765432١",
        "01234567–89ab–cdef–fedc–ba9876543210", "01234567-89ab-cdef-fedc-ba9876543210-",
    ])
    func `ids are read in the canonical form only`(text: String) {
        #expect(ID(text) == nil)
    }

    @Test func `ids of version 7 hold what RFC 9562 has in its example`() {
        let id = ID.version7(milliseconds: 0x017f_22e2_79b0, random: (0x0cc3, 0x18c4_dc0c_0c07_398f))
        #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test func `chance never reaches the time, version or variant of an id`() {
        #expect(
            ID.version7(milliseconds: 1, random: (.max, .max)).description == "00000000-0001-7fff-bfff-ffffffffffff")
        #expect(ID.version7(milliseconds: 1, random: (0, 0)).description == "00000000-0001-7000-8000-000000000000")
    }

    @Test func `ids are sorted like their texts, and those of version 7 by time`() {
        let ids = [
            ID.version7(milliseconds: 1_000, random: (.max, .max)), ID.version7(milliseconds: 1_001, random: (0, 0)),
            ID.version7(milliseconds: 1_001, random: (0, 1)), ID.version7(milliseconds: 1_001, random: (1, 0)),
            ID.version7(milliseconds: 0x0000_8000_0000_0000, random: (0, 0)),
        ]
        #expect(ids.shuffled().sorted() == ids)
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
    }
}
