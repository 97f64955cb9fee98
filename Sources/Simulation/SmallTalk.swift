/// What a store and a courier write to each other.
package struct SmallTalk: Sendable {
    /// What is said in turn; the courier begins.
    package let lines: [String]
    /// What the courier answers to anything else.
    package let answer: String

    /// In the language of the store's people.
    package static let all = [
        SmallTalk(
            lines: [
                "Nitko ne otvara, a na zvonu nema imena", "Primateljica kaže: treći kat, drugo zvono",
                "Tu je, predajem",
                "Hvala, javi se kad kreneš natrag",
            ], answer: "U redu, javim se čim mogu"),
        SmallTalk(
            lines: [
                "Parking ispred je zatvoren, ulazim iz dvorišta", "Može, kutije su spremne na stražnjem ulazu",
                "Preuzeto, stižem za deset minuta",
            ], answer: "U redu, krećem"),
        SmallTalk(
            lines: [
                "Primatelja nema, preuzima susjeda", "Dobro, samo zapiši ime",
                "Gospođa Kovač, drugi kat",
            ], answer: "Jasno, javim se"),
        SmallTalk(
            lines: ["Danas mogu do 16 sati", "Odlično, oko podneva imamo dvije torte", "Dolazim po njih"],
            answer: "Može, stižem za pet minuta"),
    ]
}
