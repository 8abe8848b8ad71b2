using System.Text.RegularExpressions;

namespace Raceway.Measuring;

/// <summary>
/// The note of an aim's row: <c>aim 1a: at least 4, holds; defaults, one to one</c>. Reports read it back, so that a
/// table of aims says the same whether it comes from a run or from a file.
/// </summary>
/// <param name="Number">The aim's number.</param>
/// <param name="Line"><c>near</c> or <c>far</c> where only such rounds count.</param>
/// <param name="Bound">The bound in words.</param>
/// <param name="Verdict">The answer.</param>
/// <param name="Reason">Why it was not measured.</param>
/// <param name="Text">What the aim is about.</param>
public sealed partial record AimNote(
    string Number, string? Line, string Bound, AimVerdict Verdict, string? Reason, string Text)
{
    private const string NotMeasured = "not measured";
    private const string Holds = "holds";
    private const string DoesNotHold = "does not hold";

    /// <summary>The answer in plain words.</summary>
    public string VerdictText => Verdict switch
    {
        AimVerdict.Holds => Holds,
        AimVerdict.DoesNotHold => DoesNotHold,
        _ => NotMeasured,
    };

    /// <summary>Reads a note; <see langword="null"/> where it is not that of an aim.</summary>
    public static AimNote? Parse(string? note)
    {
        Match match = Form().Match(note ?? "");
        if (!match.Success) return null;

        string? Optional(string group) => match.Groups[group] is { Success: true } found ? found.Value : null;

        return new AimNote(
            match.Groups["number"].Value,
            Optional("line"),
            match.Groups["bound"].Value,
            match.Groups["verdict"].Value switch
            {
                Holds => AimVerdict.Holds,
                DoesNotHold => AimVerdict.DoesNotHold,
                _ => AimVerdict.NotMeasured,
            },
            Optional("reason"),
            match.Groups["text"].Value);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"aim {Number}{(Line is null ? "" : $" on {Line} lines")}: {Bound}, {VerdictText}"
        + $"{(Reason is null ? "" : $" ({Reason})")}; {Text}";

    internal static AimNote Of(AimResult result) => new(
        result.Aim.Number,
        result.Line?.Name(),
        result.Aim.BoundText,
        result.Verdict,
        result.Reason,
        result.Aim.Text + Chosen(result));

    // Which figure it is, where the row's name alone does not tell.
    private static string Chosen(AimResult result)
    {
        string peers = result.PeersMeasured > 1 ? $", best of {result.PeersMeasured} peers" : "";
        string cases = result is { Peer: not null, Aim.PeerCase: not null } ? ", rounds paired by index" : "";
        string worst = result is { Ours: not null, Aim.IsAbsolute: true }
            ? $", most: {result.Ours}{(result.OursNote is null ? "" : $", {result.OursNote}")}"
            : "";
        string rest = result is { NotJudged: > 0, Aim.IsAbsolute: true }
            ? $", {result.NotJudged} of ours without a {result.Aim.LeastText}"
            : "";
        return peers + cases + worst + rest;
    }

    [GeneratedRegex("^aim (?<number>[^ :]+)(?: on (?<line>near|far) lines)?: (?<bound>[^,]+), "
        + $"(?<verdict>{Holds}|{DoesNotHold}|{NotMeasured})(?: \\((?<reason>.*)\\))?; (?<text>[^;]*)$")]
    private static partial Regex Form();
}
