extension Password {
    static let commonest: Set<String> = ["password", "lozinka123"]
}
