using Raceway.Measuring;

namespace Raceway.Analysis.SharingStudy;

/// <summary>What the study has found, from the rounds of its cases.</summary>
/// <param name="cases">The cases that were measured; any may be missing.</param>
public sealed class SharingFindings(IReadOnlyList<CaseResult> cases)
{
    /// <summary>Cells are said to share a line from this factor on, with the lower end of its interval.</summary>
    public const double Alarm = 1.5;

    /// <summary>Cells a line apart are said to move as a pair from this factor on, with the lower end of its interval.</summary>
    public const double PairAlarm = 1.15;

    // Plain stores hide sharing: it shows where a thread has to wait for its line.
    private static readonly string[] s_telling = [SharingCases.Locked, SharingCases.Read];

    /// <summary>The telling cases that were measured.</summary>
    public IReadOnlyList<CaseResult> Telling => [.. s_telling.Select(Find).OfType<CaseResult>()];

    /// <summary>
    /// Bytes of a line as measured: the least distance from which on nothing is shared. <see langword="null"/> where nothing
    /// was seen to be shared at any distance, as on one processor.
    /// </summary>
    public int? LineBytes
    {
        get
        {
            int[] shared = [.. SharingCases.Strides.Where(IsShared)];
            return shared.Length == 0 ? null : SharingCases.Strides.First(stride => stride > shared.Max());
        }
    }

    /// <summary>
    /// Whether cells a line apart, in one pair of lines, cost more than cells far apart: then lines move in pairs.
    /// <see langword="null"/> where no line was found, or it is a pair's size itself.
    /// </summary>
    public bool? PairsMove => LineBytes is not { } line || 2 * line >= SharingCases.Farthest
        ? null
        : Telling.Any(one => Factor(one, line)?.Low >= PairAlarm);

    /// <summary>Which line beside the one asked for is fetched; where that was not measured, nothing is known.</summary>
    public Prefetch? Prefetched => Find(SharingCases.Prefetch) is { } result ? PrefetchFinding.Of(result) : null;

    /// <summary>The layouts that the real ring's own figures speak for, a goal each.</summary>
    public IReadOnlyList<LayoutChoice> Choices =>
    [
        .. LayoutGoal.All.Select(goal => Find(goal.Case) is { } result ? LayoutChoice.Of(goal, result) : null)
            .OfType<LayoutChoice>(),
    ];

    /// <summary>Whether cells so far apart share a line, in any telling case.</summary>
    public bool IsShared(int stride) => Telling.Any(one => IsAlarm(Factor(one, stride)));

    /// <summary>What cells so far apart cost, over cells far apart.</summary>
    /// <param name="result">A case of the counters.</param>
    /// <param name="stride">Bytes from cell to cell.</param>
    /// <param name="line">Rounds of one line class only.</param>
    public static MedianInterval? Factor(CaseResult result, int stride, LineClass? line = null)
    {
        ArgumentNullException.ThrowIfNull(result);
        return result.Ratio(SharingCases.NameOf(2, stride), SharingCases.NameOf(2, SharingCases.Farthest), line);
    }

    /// <summary>Whether a factor is an alarm.</summary>
    public static bool IsAlarm(MedianInterval? factor) => factor?.Low >= Alarm;

    private CaseResult? Find(string name) => cases.FirstOrDefault(one => one.Name == name);
}
