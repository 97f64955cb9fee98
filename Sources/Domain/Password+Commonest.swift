extension Password {
    /// Whether it is among the passwords that are guessed first.
    static func isCommonest(_ lowercased: String) -> Bool {
        regional.contains(lowercased) || Commonest.contains(lowercased)
    }

    /// Those of this region, and of this trade, which the counts of the world know too few of. They are in lower case and sorted;
    /// what `walks` or the counts have is left out.
    static let regional = Set(list.split(separator: " ").map(String.init))

    static let list = """
        !qaz@wsx 11111112 12123434 123456788 159753159 159951159 22223333 258456258 3141592653 36925814 98765432a \
        aa12345678 abcabc123 admin12345 admin123456 admin@123 adminadmin administrator1 ana12345 anaanaana andjeo123 \
        ante1234 anteante antonija armada1987 autumn2025 badblueboys bbb1986bbb beograd1 bilijele changeme! \
        changeme123 croatia1 croatia123 croatia98 crvenazvezda dalmacija dalmacija1 default1 demo1234 demodemo \
        dinamo123 dinamo1945 dinamozagreb dobardan dobardan1 domagoj1 dostava1 dostava123 dubrovnik dubrovnik1 \
        favorite filip123 gabrijela googlegoogle guest123 guest1234 hajduk123 hajduk1911 hajduksplit hajdukzivivjecno \
        helpme123 hrvatska1 hrvatska12 hrvatska123 hrvatska1990 hrvatska1991 hrvatska2018 hrvatska98 ilovemum \
        iloveyousomuch istra123 ivan1234 ivana123 ivanivan jelena123 josip123 jugoslavija karlo123 katarina1 kohorta1 \
        kurir123 kurir1234 kurirkurir leptirica letmein12 ljubav123 ljubavi1 ljubavljubav ljubavmoja lozinka! lozinka1 \
        lozinka12 lozinka123 lozinka1234 lozinka2025 lozinka2026 luka1234 lukaluka macamaca macka123 maja1234 \
        manutd123 marija12 marija123 marijana marko123 marko1234 markomarko martina123 matea123 mateo123 minecraft1 \
        mirjana1 mojalozinka mojalozinka1 mojamala mojasifra mojasifra1 mojdragi mypassword1 newpassword1 nikola12 \
        nikola123 nikolina novalozinka oldpassword osijek123 p@$$w0rd p@ssw0rd! p@ssw0rd1 p@ssword1 partizan1 \
        passw0rd! password007 password1! password? petar123 pizzeria princeza princeza1 q1w2e3r4! qwerty1! qwertz12 \
        qwertz1234 qwertz12345 qwertz123456 qwertzqwertz restoran1 rijeka123 rijeka1946 root1234 rootroot russia123 \
        sarajevo1 secretpassword sifra123 sifra1234 sifrasifra slavonija slavonija1 split123 split1234 splitsplit \
        spring2025 spring2026 srcemoje sreca123 stjepan1 summer2024 summer2025 summer2026 sunce123 suncokret tajna123 \
        tajnalozinka tajnasifra test12345 test123456 thepassword thisismypassword tomislav tomislav1 toor1234 torcida1 \
        torcida1950 trgovina1 trgovina123 user1234 username1 varazdin vatreni2018 vatreni98 volimte1 volimte123 \
        volimtebe volimteja welcome2024 welcome2025 welcome2026 winter123 winter2024 winter2025 winter2026 zadar123 \
        zagreb01 zagreb10 zagreb123 zagreb1234 zaporka1 zaporka123 zaq1zaq1 zvezda1945 zvijezda zvjezdica
        """
}

/// The 10,000 commonest passwords of eight characters and more, as `Commonest/make.py` has made them: sorted hashes of 40 bits.
enum Commonest {
    private static let table = PackageResources.table_bin
    private static let width = 5
    static var count: Int { table.count / width }

    static func contains(_ lowercased: String) -> Bool {
        let wanted = hash(lowercased)
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let found = number(middle)
            if found == wanted { return true }
            if found < wanted { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private static func number(_ place: Int) -> UInt64 {
        table[place * width..<(place + 1) * width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// FNV-1a, of whose 64 bits the first 40 are kept.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } >> 24
    }
}
