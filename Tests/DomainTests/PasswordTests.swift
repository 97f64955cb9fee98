import Testing

@testable import Domain

@Suite struct PasswordTests {
    @Test(arguments: [
        "correct horse battery", "Tr0ub4dor", "šećer i sol", " leading", "trailing ", "q8#vL2!x", "12345679012",
        "abcdefgi", "aaaaaaab", "lozinkalozinka9", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦🍋🍊🍎🍐", "cafe\u{301} noir",
    ])
    func `long and uncommon passwords are taken as they are`(text: String) throws {
        #expect(Array(try Password(text).text.utf8) == Array(text.utf8))
    }

    @Test func `passwords are 8 to 128 characters long, and at most 512 bytes`() throws {
        let tooShort = InvalidValue("password_too_short", ["min": "8"])
        let tooLong = InvalidValue("password_too_long", ["max": "128"])
        func text(_ count: Int, of characters: String) -> String {
            String((0..<count).map { Array(characters)[$0 % characters.count] })
        }
        #expect(refusal(of: "") == InvalidValue("required"))
        #expect(refusal(of: text(7, of: "xk")) == tooShort)
        #expect(refusal(of: text(7, of: "🍋🍊")) == tooShort)
        #expect(refusal(of: text(8, of: "xk")) == nil)
        #expect(refusal(of: text(128, of: "xk")) == nil)
        #expect(refusal(of: text(129, of: "xk")) == tooLong)
        #expect(refusal(of: text(128, of: "🍋🍊")) == nil)
        #expect(refusal(of: text(128, of: "🍋👩‍👧")) == tooLong)
    }

    @Test(arguments: [
        "password", "Password1", "PASSWORD123", "P@ssw0rd", "lozinka123", "Lozinka123", "mojalozinka", "dinamo1945",
        "hajduk1911", "qwertz123", "iloveyou",
        // One character.
        "aaaaaaaa", "aAaAAaaa", "11111111", "        ", "šššššššš", "🍋🍋🍋🍋🍋🍋🍋🍋",
        // Runs.
        "12345678", "87654321", "123456789", "1234567890", "0123456789", "0987654321", "12345678901234567890",
        "abcdefgh", "hgfedcba", "ABCDEFGHIJ", "stuvwxyz",
        // Keyboards.
        "qwertyui", "qwertyuiop", "QwErTyUiOp", "poiuytre", "asdfghjk", "asdfghjkl", "qwertzui", "qwertzuiopšđ",
        "asdfghjklčćž", "qwertyuiopasdf", "yxcvbnmq", "1qaz2wsx", "1q2w3e4r", "1q2w3e4r5t", "7890qwer", "q1w2e3r4",
    ])
    func `passwords that everybody guesses are refused in any case`(text: String) {
        #expect(refusal(of: text) == InvalidValue("password_too_common"))
    }

    @Test func `the list of common passwords is sorted, and each is found in it`() {
        let list = Password.list.split(separator: " ").map(String.init)
        #expect(list.count >= 200)
        #expect(list == Set(list).sorted())
        for word in list {
            #expect(refusal(of: word.uppercased()) == InvalidValue("password_too_common"), "\(word)")
        }
    }

    @Test func `ten thousand passwords are known to be the commonest`() {
        #expect(Commonest.count == 10_000)
        for word in ["password", "iloveyou1", "q1w2e3r4t5", "superman", "hallo123", "babygirl1", "mustang1"] {
            #expect(Commonest.contains(word), "\(word)")
        }
        for word in ["krumpir-na-tavi", "kurir vozi svaki dan", "bicikl-i-kaciga", "correct horse battery"] {
            #expect(!Commonest.contains(word), "\(word)")
        }
    }

    @Test(arguments: [
        ("anic12345", true), ("Anić-2026", true), ("ĐURIĆ1990", true), ("ana.anic", true), ("anaana123", true),
        ("anic-ana", true), ("Đurić.Ana.Anić", true), ("kurir-ana-7", true), ("anić-i-ana", false),
        ("kurir-1234", true), ("0912345678", true), ("385912345678", true), ("0912345679", false),
        ("krumpir-anić", false), ("an-1234567", false), ("djuric1990", false),
    ])
    func `a password of one's own name or number is personal`(text: String, isPersonal: Bool) throws {
        let words = ["Ana", "Anić", "Ana Anić", "Đurić", "+385912345678"]
        #expect(try Password(text).isPersonal(words) == isPersonal)
    }

    private func refusal(of text: String) -> InvalidValue? {
        DomainTests.refusal { () throws(InvalidValue) in try Password(text) }
    }
}
