using System.Globalization;
using Raceway.Analysis.Tuning;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>What an earlier run of <c>raceway tune</c> chose, as its result file says.</summary>
/// <param name="File">The file.</param>
/// <param name="Target">What was tuned.</param>
/// <param name="Goal">For what.</param>
/// <param name="Rate">At which rate, where one was given.</param>
/// <param name="Arrivals">How items came.</param>
/// <param name="Knobs">The choice.</param>
internal sealed record TunedChoice(
    string File, string Target, string Goal, double? Rate, string Arrivals, IReadOnlyDictionary<string, string> Knobs)
{
    public const string TargetOption = "target", GoalOption = "goal", RateOption = "rate", ArrivalsOption = "arrivals", ChosenOption = "chosen";

    /// <summary>What it was made for: goal, rate and arrivals.</summary>
    public string Asked => Goal + (Rate is { } rate ? string.Create(CultureInfo.InvariantCulture, $" at {rate:R}/s") : "") + $", {Arrivals}";

    /// <summary>Reads it.</summary>
    /// <exception cref="ToolException">The file is of something else.</exception>
    public static TunedChoice Of(string file, ResultFile result)
    {
        IReadOnlyDictionary<string, string> options = result.Options;
        if (!options.TryGetValue(ChosenOption, out string? chosen)
            || !options.TryGetValue(TargetOption, out string? target)
            || !options.TryGetValue(GoalOption, out string? goal))
        {
            throw new ToolException(
                $"'{file}' is of 'raceway {result.Suite}' and has no choice in it. Give what 'raceway tune --json' wrote.", ExitCode.Usage);
        }

        double? rate = options.TryGetValue(RateOption, out string? text) ? RateOf(file, text) : null;
        IReadOnlyDictionary<string, string>? knobs =
            result.Rows.FirstOrDefault(row => row.Contestant == chosen && row.Knobs is not null)?.Knobs;
        // A choice to leave all as it is has no knobs.
        if (knobs is null && chosen == Analysis.Tuning.Knobs.AsDefined) knobs = new Dictionary<string, string>();
        if (knobs is null) throw new ToolException($"'{file}' does not say what '{chosen}' is set to. Tune again.", ExitCode.Usage);
        return new TunedChoice(file, target, goal, rate, options.GetValueOrDefault(ArrivalsOption, "constant"), knobs);
    }

    private static double RateOf(string file, string text) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double rate) && TuneOptions.CanBePaced(rate)
            ? rate
            : throw new ToolException($"the rate of a choice is {TuneOptions.Rates}; '{file}' has '{text}'. Tune again.", ExitCode.Usage);
}
