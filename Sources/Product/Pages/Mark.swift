/// The mark: a K, whose arm leads to the place where a delivery goes.
enum Mark {
    static let svg = """
        <svg viewBox="0 0 512 512" aria-hidden="true"><path fill="#146048" d="M0 0h512v512H0z"/>\
        <path fill="none" stroke="#fff" stroke-width="56" stroke-linecap="round" stroke-linejoin="round" \
        d="M168 124v264M168 284 296 172M232 232l112 156"/><circle cx="338" cy="140" r="44" fill="#8fe3b8"/></svg>
        """
}
