using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Says when a Channel is enough: fewer threads to think about, and a type that most readers know.</summary>
internal static class ChannelJudge
{
    /// <summary>Less than this many times as good is not worth a library.</summary>
    public const double WorthWhile = 1.15;

    /// <summary>A Channel that can do so many times the rate that is asked for has room enough.</summary>
    public const double Ample = 4;

    // A Channel that carries the rate may still take more of what the goal asks for at this rate: twice the p99, or twice the
    // processor time, is a difference that is felt.
    private const double Felt = 2;

    /// <summary>The verdict over the finals.</summary>
    /// <param name="finals">What was measured.</param>
    /// <param name="winner">The best of ours.</param>
    /// <param name="options">The goal, and the rate that is asked for.</param>
    public static ChannelVerdict? Of(Finals finals, string winner, TuneOptions options)
    {
        if (finals.Ratio(winner, Knobs.Channel) is not { } ratio) return null;
        string measured = $"the choice is {RatioText.Told(ratio, "as good")}";
        if (!RatioText.CanBeJudged(ratio)) return new ChannelVerdict(false, $"Whether a Channel is enough here is not known: {measured}.", ratio);
        if (ratio.Median < WorthWhile) return new ChannelVerdict(true, $"A Channel is enough here: {measured}, which is not worth a library.", ratio);
        double saturation = MedianRate(finals);
        if (options.Rate is { } rate && saturation >= Ample * rate && !(options.Goal.NeedsPaced && ratio.Low >= Felt))
        {
            return new ChannelVerdict(
                true,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"A Channel is enough here: it carries {saturation / rate:0.#} times the {rate:N0} items a second that are asked for; {measured}."),
                ratio);
        }

        if (ratio.Low < 1) return new ChannelVerdict(true, $"A Channel may be enough here: {measured}, so no difference is shown.", ratio);
        return new ChannelVerdict(false, $"A Channel is not enough here: {measured}.", ratio);
    }

    private static double MedianRate(Finals finals) =>
        Finals.Samples(finals.FullSpeed, Knobs.Channel) is { Count: > 0 } rounds
            ? Statistics.Median(rounds.Select(static sample => sample.Rate))
            : 0;
}
