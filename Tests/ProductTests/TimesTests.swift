import API
import Postgres
import Testing

@Suite struct TimesTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_795_176_000_123_999, "2026-11-20T12:00:00.123Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000_000, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000_000, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_000_001, "0000-01-01T00:00:00.000Z"),
        (.max, "9999-12-31T23:59:59.999Z"), (.min, "0000-01-01T00:00:00.000Z"),
    ])
    func `a time is written with four digits for the year, whichever it is`(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).text == text)
    }
}
