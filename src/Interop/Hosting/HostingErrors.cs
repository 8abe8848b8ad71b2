namespace Raceway.Interop.Hosting;

/// <summary>Texts of errors: the rule, the value, the remedy.</summary>
internal static class HostingErrors
{
    public static string Unreadable(string path, string rule, string? value, string remedy) =>
        $"{path} must be {rule}: value='{value}'. {remedy}";

    public static string UnknownKey(string path, IEnumerable<string> known) =>
        $"A key must be one that is known: key={path}. Known: {string.Join(", ", known)}.";

    public static string NotOneOf<TEnum>(string path, string value)
        where TEnum : struct, Enum =>
        Unreadable(path, $"one of {string.Join(", ", Enum.GetNames<TEnum>())}", value, "Use one of them.");

    public static string TooSmall(string path, string value, string least) =>
        $"{path} must be {least} or more: value={value}. Use {least} or more, or leave it out.";

    public static string NoTimeout(string path, TimeSpan value, bool mayBeInfinite) =>
        $"{path} must be from zero to a day{(mayBeInfinite ? ", or infinite" : "")}: value={value}. Use for example 00:00:10.";

    public static string NoPeriod(string path, TimeSpan value) =>
        $"{path} must be above zero: value={value}. Use for example 00:00:10.";

    public static string NoShare(string path, double value) =>
        FormattableString.Invariant($"{path} must be above 0 and at most 1: value={value}. Use for example 0.9.");

    public static string LimitsOfSingle(string path) =>
        $"The dispatch level Single has no limits: stage={path}. Leave the limits out, or use Each or Batch.";

    public static string WeightOfEach(string path) =>
        $"The dispatch level Each has no weight: stage={path}. Leave MaxWeight out, or use Batch.";

    public static string UnknownStage(string path, string name, IEnumerable<string> known) =>
        $"A stage must be one of the definition: stage='{name}', key={path}. Known: {string.Join(", ", known)}.";

    public static string SettingsOfNothing(string path) =>
        $"{path} must hold settings of a stage: value is none. Give it Dispatch, Max or another limit, or leave it out.";

    public static string NoSection(string path, string value) =>
        $"{path} must be a section with keys of its own, not a value: value='{value}'. Put the settings below it, or leave it out.";

    public static string At(string path, ArgumentException problem) => $"{path}: {TextOf(problem)}";

    public static ArgumentException DuplicateName(string name) =>
        new($"A pipeline's name must be unique in a host: name='{name}'. Give one of them another name.", nameof(name));

    public static ArgumentException NameWithColon(string name) =>
        new(
            $"A pipeline's name must not hold a colon, which divides keys of the configuration: name='{name}'. Use another sign.",
            nameof(name));

    // Without the parameter's name and the value once more, which the framework adds.
    private static string TextOf(ArgumentException problem)
    {
        int end = problem.Message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return end < 0 ? problem.Message : problem.Message[..end];
    }
}
