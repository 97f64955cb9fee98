import Testing

@testable import Domain

/// What a recipient's link shows of an address.
@Suite struct StreetTests {
    @Test(arguments: [
        ("Vukovarska 5", "Vukovarska 5"), ("Vukovarska 5, Split", "Vukovarska 5"),
        ("Vukovarska 5, 21000 Split", "Vukovarska 5"), ("Vukovarska 5 , kat 2, stan 7", "Vukovarska 5"),
        ("Vukovarska 5 21000 Split", "Vukovarska 5"), ("Vukovarska 5 HR-21000 Split", "Vukovarska 5"),
        ("Vukovarska 5\n21000 Split", "Vukovarska 5"), ("Vukovarska 5; 2. kat", "Vukovarska 5"),
        ("Vukovarska 5 (dvorište, šifra 1234)", "Vukovarska 5"), ("Vukovarska bb 21000 Split", "Vukovarska bb"),
        ("21000 Split, Vukovarska 5", "Vukovarska 5"), ("HR-21000 Split, Vukovarska 5, stan 7", "Vukovarska 5"),
        ("21000, Vukovarska 5", "Vukovarska 5"), (", Vukovarska 5", "Vukovarska 5"),
        ("  Trg   bana Jelačića  3 ", "Trg bana Jelačića 3"), ("Donja Lomnica 12, 10412", "Donja Lomnica 12"),
        ("Mariahilfer Straße 12 1060 Wien", "Mariahilfer Straße 12"), ("A-1060 Wien, Gasse 1/2/3", "Gasse 1/2/3"),
        // What may be a year, or the number of a house, stays.
        ("Ulica 1848 br. 5", "Ulica 1848 br. 5"), ("Industrijska 1000 hala", "Industrijska 1000 hala"),
        ("Ilica 10000", "Ilica 10000"), ("Ilica 242-244", "Ilica 242-244"),
        // Nobody can tell where a town ends that stands before its street without a sign between them.
        ("21000 Split Vukovarska 5, 2. kat", "Split Vukovarska 5"), ("21000 Split", "Split"), ("21000", ""),
        (", ;", ""), ("", ""),
    ])
    func `an address is shown as its street alone`(_ address: String, _ street: String) {
        #expect(Street.of(address) == street)
    }
}
