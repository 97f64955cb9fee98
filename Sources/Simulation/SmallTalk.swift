/// What a store and a courier write to each other.
package struct SmallTalk: Sendable {
    /// What is said in turn; the courier begins.
    package let lines: [String]
    /// What the courier answers to anything else.
    package let answer: String

    /// One in each language, and more in the first.
    package static let all = [
        SmallTalk(
            lines: [
                "Nitko ne otvara, a na zvonu nema imena", "Primateljica kaže: treći kat, drugo zvono",
                "Tu je, predajem",
                "Hvala, javi se kad kreneš natrag",
            ], answer: "U redu, javim se čim mogu"),
        SmallTalk(
            lines: [
                "The parking in front is closed, I come in from the yard", "Fine, the boxes are ready at the back door",
                "Fetched, there in ten minutes",
            ], answer: "All right, on my way"),
        SmallTalk(
            lines: [
                "Der Empfänger ist nicht da, die Nachbarin nimmt es an", "Gut, bitte den Namen notieren",
                "Frau Kovač, zweiter Stock",
            ], answer: "Alles klar, ich melde mich"),
        SmallTalk(
            lines: ["Danas mogu do 16 sati", "Odlično, oko podneva imamo dvije torte", "Dolazim po njih"],
            answer: "Može, stižem za pet minuta"),
    ]
}
