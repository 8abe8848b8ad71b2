using System.Text.RegularExpressions;

namespace Raceway.Measuring;

/// <summary>
/// The note of a claim's row: <c>claim 1a: at least 4, holds; defaults, one to one</c>. Reports read it back, so that a
/// table of claims says the same whether it comes from a run or from a file.
/// </summary>
/// <param name="Number">The claim's number.</param>
/// <param name="Line"><c>near</c> or <c>far</c> where only such rounds count.</param>
/// <param name="Bound">The bound in words.</param>
/// <param name="Verdict">The answer.</param>
/// <param name="Reason">Why it was not measured.</param>
/// <param name="Text">What the claim is about.</param>
public sealed partial record ClaimNote(
    string Number, string? Line, string Bound, ClaimVerdict Verdict, string? Reason, string Text)
{
    private const string NotMeasured = "not measured";
    private const string Holds = "holds";
    private const string DoesNotHold = "does not hold";

    /// <summary>The answer in plain words.</summary>
    public string VerdictText => Verdict switch
    {
        ClaimVerdict.Holds => Holds,
        ClaimVerdict.DoesNotHold => DoesNotHold,
        _ => NotMeasured,
    };

    /// <summary>Reads a note; <see langword="null"/> where it is not that of a claim.</summary>
    public static ClaimNote? Parse(string? note)
    {
        Match match = Form().Match(note ?? "");
        if (!match.Success) return null;

        string? Optional(string group) => match.Groups[group] is { Success: true } found ? found.Value : null;

        return new ClaimNote(
            match.Groups["number"].Value,
            Optional("line"),
            match.Groups["bound"].Value,
            match.Groups["verdict"].Value switch
            {
                Holds => ClaimVerdict.Holds,
                DoesNotHold => ClaimVerdict.DoesNotHold,
                _ => ClaimVerdict.NotMeasured,
            },
            Optional("reason"),
            match.Groups["text"].Value);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"claim {Number}{(Line is null ? "" : $" on {Line} lines")}: {Bound}, {VerdictText}"
        + $"{(Reason is null ? "" : $" ({Reason})")}; {Text}";

    internal static ClaimNote Of(ClaimResult result) => new(
        result.Claim.Number,
        result.Line?.Name(),
        result.Claim.BoundText,
        result.Verdict,
        result.Reason,
        result.Claim.Text + Chosen(result));

    // Whose figure it is, where the row's name alone does not tell.
    private static string Chosen(ClaimResult result)
    {
        string peers = result.PeersMeasured > 1 ? $", best of {result.PeersMeasured} peers" : "";
        string cases = result is { Peer: not null, Claim.PeerCase: not null } ? ", rounds paired by index" : "";
        string worst = result is { Ours: not null, Claim.IsAbsolute: true }
            ? $", most: {result.Ours}{(result.OursNote is null ? "" : $", {result.OursNote}")}"
            : "";
        string rest = result is { NotJudged: > 0, Claim.IsAbsolute: true }
            ? $", {result.NotJudged} of ours without a {result.Claim.LeastText}"
            : "";
        return peers + cases + worst + rest;
    }

    [GeneratedRegex("^claim (?<number>[^ :]+)(?: on (?<line>near|far) lines)?: (?<bound>[^,]+), "
        + $"(?<verdict>{Holds}|{DoesNotHold}|{NotMeasured})(?: \\((?<reason>.*)\\))?; (?<text>[^;]*)$")]
    private static partial Regex Form();
}
