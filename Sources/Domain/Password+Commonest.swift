extension Password {
    /// The passwords that are guessed first: those that turn up in every leaked list, and their Croatian counterparts.
    /// They are in lower case and sorted; what `walks` finds is left out.
    static let commonest = Set(list.split(separator: " ").map(String.init))

    static let list = """
        !qaz2wsx !qaz@wsx 00112233 01010101 01012000 10101010 10203040 1020304050 11111112 11112222 11223344 \
        1122334455 12121212 12123434 12312312 123123123 123321123 12341234 12344321 123454321 1234554321 12345612 \
        123456123 123456123456 12345654321 123456788 1234567891 123456789a 12345678a 12345679 1234567a 12345687 \
        123456987 123456abc 123456qwerty 12345abc 12345qwert 1234abcd 1234qwer 123qwe123 123qweasd 123qweasdzxc \
        13131313 13579246 1357924680 14725836 147258369 147852369 159357456 159753159 159753456 159951159 19191919 \
        19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991 19921992 19931993 19941994 19951995 \
        1a2b3c4d 1qaz1qaz 1qaz@wsx 1qazxsw2 20002000 20012001 20202020 21212121 22223333 23232323 24682468 25252525 \
        258456258 31415926 3141592653 321321321 36925814 369258147 55667788 69696969 741852963 77778888 78945612 \
        789456123 78963214 963852741 987456321 98765432a 99887766 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 \
        aa123456 aa12345678 ab123456 abc12345 abc123456 abc123abc abcabc123 abcd1234 abcd12345 abcdef123 admin123 \
        admin1234 admin12345 admin123456 admin@123 adminadmin administrator administrator1 alexander alexander1 \
        alexandra ana12345 anaanaana andjeo123 andrew123 ante1234 anteante anthony1 antonija antonio1 armada1987 \
        asd123456 asd123asd asdasdasd asdf1234 asdfasdf asdfghjk1 asdqwe123 ashley123 assassin asshole1 autumn2025 \
        babygirl babygirl1 badblueboys baseball baseball1 basketball basketball1 batman123 bbb1986bbb benjamin \
        beograd1 bilijele blahblah blink182 brittany bubbles1 bullshit buttercup butterfly butterfly1 caroline \
        catherine champion changeit changeme changeme! changeme1 changeme123 charlie1 charlie123 cheese123 chelsea1 \
        chelsea123 chicken1 chocolate chocolate1 christian christopher computer computer1 cookie123 corvette courtney \
        cowboys1 creative croatia1 croatia123 croatia98 crvenazvezda crystal1 dalmacija dalmacija1 daniel123 danielle \
        darkness december december1 default1 demo1234 demodemo diamond1 dinamo123 dinamo1945 dinamozagreb dobardan \
        dobardan1 dolphin1 dolphins domagoj1 dominik1 dostava1 dostava123 dragon12 dragon123 dubrovnik dubrovnik1 \
        einstein electric elephant elephant1 elizabeth elizabeth1 everton1 explorer facebook facebook1 favorite \
        fernando filip123 firebird football football1 football12 forever1 freedom1 freedom123 friends1 friendship \
        fuckoff1 fuckyou1 fuckyou123 fuckyou2 gabriel1 gabriela gabrijela garfield ginger123 google123 googlegoogle \
        greenday guest123 guest1234 hahahaha hajduk123 hajduk1911 hajduksplit hajdukzivivjecno hardcore hello123 \
        hello1234 hello12345 hellohello helloworld helpme123 hercules homer123 hotdog123 hrvatska hrvatska1 hrvatska12 \
        hrvatska123 hrvatska1990 hrvatska1991 hrvatska2018 hrvatska98 ilovegod iloveme1 ilovemom ilovemum iloveyou \
        iloveyou! iloveyou1 iloveyou12 iloveyou123 iloveyou2 iloveyousomuch internet internet1 ironman1 isabella \
        istra123 ivan1234 ivana123 ivanivan january1 jasmine1 jelena123 jennifer jennifer1 jessica1 jonathan jordan23 \
        joshua123 josip123 jugoslavija justice1 justin123 karlo123 katarina katarina1 kawasaki killer12 killer123 \
        kingkong kohorta1 kristina kristina1 kurir123 kurir1234 kurirkurir ladybug1 lakers24 leptirica letmein1 \
        letmein12 letmein123 letmeinnow liverpool liverpool1 ljubav123 ljubavi1 ljubavljubav ljubavmoja lollipop \
        lollypop london123 lovebug1 loveforever lovelove lovely123 loveme123 loveyou1 lozinka! lozinka1 lozinka12 \
        lozinka123 lozinka1234 lozinka2025 lozinka2026 luka1234 lukaluka macamaca macka123 maja1234 manchester \
        manutd123 margaret marija12 marija123 marijana marina123 marines1 marko123 marko1234 markomarko marlboro \
        martina1 martina123 master12 master123 mastermind matea123 mateo123 matthew1 maverick maverick1 mercedes \
        mercury1 metallica metallica1 michael1 michael123 michelle michelle1 midnight midnight1 millions minecraft \
        minecraft1 mirjana1 mojalozinka mojalozinka1 mojamala mojasifra mojasifra1 mojdragi monkey12 monkey123 \
        mustang1 mypassword mypassword1 naruto123 newcastle newpassword newpassword1 newyork1 nicholas nikola12 \
        nikola123 nikolina nintendo nirvana1 nopassword novalozinka november october1 oldpassword osijek123 p@$$w0rd \
        p@ssw0rd p@ssw0rd! p@ssw0rd1 p@ssword p@ssword1 pa$$word pa55word paradise partizan partizan1 passpass \
        passport passw0rd passw0rd! passw0rd1 password password! password00 password007 password01 password1 \
        password1! password10 password11 password12 password123 password1234 password12345 password13 password2 \
        password21 password22 password23 password69 password88 password99 password? passwort passwort1 patricia \
        peaches1 peanut123 penguin1 pepper123 petar123 pizza123 pizzeria playboy1 pokemon1 pokemon123 portugal \
        precious precious1 princess princess1 princess12 princeza princeza1 purple123 q1w2e3r4! qazwsx123 qazwsxedc \
        qazwsxedcrfv qazxswedc qwe123456 qwe123qwe qweasd123 qweasdzxc qweqwe123 qweqweqwe qwerty1! qwerty11 qwerty12 \
        qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty321 qwertyqwerty qwertz12 qwertz123 qwertz1234 qwertz12345 \
        qwertz123456 qwertzqwertz raiders1 rainbow1 rainbow123 rangers1 realmadrid remember restoran1 rijeka123 \
        rijeka1946 robert123 ronaldo1 ronaldo7 root1234 rootroot russia123 samantha samantha1 sandra123 sarajevo \
        sarajevo1 scooter1 scorpion secretpassword security september september1 shadow12 shadow123 sifra123 sifra1234 \
        sifrasifra skywalker slavonija slavonija1 slipknot slipknot1 snickers snoopy123 snowball soccer123 softball \
        something spiderman spiderman1 split123 split1234 splitsplit spongebob spring2025 spring2026 srcemoje sreca123 \
        starlight startrek starwars starwars1 steelers stephanie stephen1 stjepan1 summer12 summer123 summer2024 \
        summer2025 summer2026 sunce123 suncokret sunshine sunshine1 superman superman1 sweetheart sweetie1 swordfish \
        tajna123 tajnalozinka tajnasifra teddybear terminator test1234 test12345 test123456 testing1 testing123 \
        testtest thepassword thisismypassword thomas123 thunder1 thunderbird tigger123 tinkerbell tomislav tomislav1 \
        toor1234 torcida1 torcida1950 tottenham trgovina1 trgovina123 trinity1 trustno1 trustnoone twilight undertaker \
        user1234 username username1 vacation valentina valentina1 valentine valentino vanessa1 varazdin vatreni2018 \
        vatreni98 veronica victoria victoria1 volimte1 volimte123 volimtebe volimteja warcraft warrior1 webmaster \
        welcome1 welcome12 welcome123 welcome2024 welcome2025 welcome2026 whatever whatever1 wildcats william1 \
        winston1 winter123 winter2024 winter2025 winter2026 wolverine yankees1 yellow123 zadar123 zagreb01 zagreb10 \
        zagreb123 zagreb1234 zaporka1 zaporka123 zaq12wsx zaq1xsw2 zaq1zaq1 zvezda1945 zvijezda zvjezdica zxc123456 \
        zxcvbnm1 zxcvbnm123 zxczxczxc
        """
}
