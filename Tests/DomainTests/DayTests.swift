import Domain
import Testing

@Suite struct DayTests {
    @Test(arguments: [("1970-01-01", 0), ("2000-02-29", 11_016), ("2026-11-21", 20_778), ("9999-12-31", 2_932_896)])
    func `a day is read and written`(text: String, number: Int64) {
        #expect(Day(text)?.number == number)
        #expect(Day(number: number).description == text)
    }

    @Test(arguments: [
        "", "2026-11", "2026-11-21T00:00", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "1969-12-31",
        "26-11-21",
        "2026-1-1", "+026-11-21", "2026-11-2a", "2026/11/21", "2026-11--1",
    ])
    func `a text that is no day is refused`(text: String) {
        #expect(Day(text) == nil)
    }

    @Test func `every day of four centuries comes back from its text`() {
        for number in 0..<146_097 as Range<Int64> {
            let day = Day(number: number)
            #expect(Day(day.description) == day)
        }
    }
}
