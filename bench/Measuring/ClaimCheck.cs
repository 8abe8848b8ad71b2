namespace Raceway.Measuring;

/// <summary>Checks claims against what was measured.</summary>
public static class ClaimCheck
{
    // Fewer rounds of a line class say nothing about it.
    private const int LeastOfClass = 3;

    /// <summary>
    /// The answer to each claim about a case that was run, in the order of the claims. Where there are enough rounds on near
    /// lines and enough on far ones, the answer over all rounds is followed by one for each of the two.
    /// </summary>
    public static IReadOnlyList<ClaimResult> Of(IEnumerable<Claim> claims, IReadOnlyList<CaseResult> cases) =>
        [.. claims.SelectMany(claim => cases.Where(one => IsAbout(claim, one)).SelectMany(one => Check(claim, one, cases)))];

    private static bool IsAbout(Claim claim, CaseResult one) =>
        claim.Case is null ? one.Metric == MetricKind.Throughput : one.Name == claim.Case;

    private static IEnumerable<ClaimResult> Check(Claim claim, CaseResult ours, IReadOnlyList<CaseResult> cases)
    {
        CaseResult? theirs = claim.PeerCase is null ? ours : cases.FirstOrDefault(one => one.Name == claim.PeerCase);
        string? reason = theirs is null
            ? $"{claim.PeerCase} was not run"
            : Missing(ours, [claim.Ours], claim) ?? (claim.IsAbsolute ? null : Missing(theirs, claim.Peers, claim));
        if (reason is not null)
        {
            return [new ClaimResult(claim, ours.Name) { Reason = reason }];
        }

        ClaimResult all = Answer(claim, ours, theirs!, null)
            ?? new ClaimResult(claim, ours.Name)
            {
                Reason = claim.IsAbsolute ? $"no {claim.LeastText}" : "no rounds that can be paired",
            };
        ClaimResult? near = Answer(claim, ours, theirs!, LineClass.Near), far = Answer(claim, ours, theirs!, LineClass.Far);
        return near is null || far is null ? [all] : [all, near, far];
    }

    /// <summary>Why none of the contestants meant can be counted, or <see langword="null"/> where one can.</summary>
    private static string? Missing(CaseResult result, IReadOnlyList<string> names, Claim claim)
    {
        ContestantRounds[] meant = [.. result.Contestants.Where(one => Claim.IsMeant(one.Contestant.Name, names))];
        string text = string.Join(", ", names);
        if (meant.Length == 0) return $"{text} is not there";
        if (meant.Any(one => HasFigure(result, one, claim))) return null;
        return meant.Select(static one => one.Failure).OfType<string>().FirstOrDefault() is { } failure
            ? $"{text}: {failure}"
            : meant.Any(static one => one.Rounds.Count > 0 && !one.Verified) ? $"{text}: wrong result"
            : $"{text}: no {claim.Metric}";
    }

    private static bool HasFigure(CaseResult result, ContestantRounds one, Claim claim) =>
        one.Verified && one.Rounds.All(round => !double.IsNaN(Figures.Of(result, claim.Metric, round.Sample)));

    private static ClaimResult? Answer(Claim claim, CaseResult ours, CaseResult theirs, LineClass? line)
    {
        ContestantRounds[] counted = [.. Counted(ours, [claim.Ours], claim)];
        ClaimResult[] answers =
        [
            .. counted.Select(one => claim.IsAbsolute
                ? Alone(claim, ours, one, line)
                : BestPeer(claim, ours, one, theirs, line)).OfType<ClaimResult>(),
        ];

        // Every one of ours is meant, so the worst of them is the answer.
        ClaimResult? worst = claim.LowerIsBetter
            ? answers.MaxBy(static one => one.Figure!.Value.High)
            : answers.MinBy(static one => one.Figure!.Value.Low);
        return worst is null ? null : worst with { NotJudged = counted.Length - answers.Length };
    }

    private static IEnumerable<ContestantRounds> Counted(CaseResult result, IReadOnlyList<string> names, Claim claim) =>
        result.Contestants.Where(one => Claim.IsMeant(one.Contestant.Name, names) && HasFigure(result, one, claim));

    private static ClaimResult? Alone(Claim claim, CaseResult result, ContestantRounds one, LineClass? line)
    {
        double[] figures =
        [
            .. one.Rounds.Where(round => round.Sample.Operations >= claim.LeastOperations)
                .Where(round => line is null || result.ClassOf(round) == line)
                .Select(round => Figures.Of(result, claim.Metric, round.Sample)),
        ];
        return figures.Length < Least(line) ? null : new ClaimResult(claim, result.Name, line)
        {
            Ours = one.Contestant.Name,
            OursNote = one.Contestant.Note,
            Figure = Statistics.Interval(figures),
            Oversubscribed = RowBuilder.IsOversubscribed(one.Contestant),
        };
    }

    private static ClaimResult? BestPeer(
        Claim claim, CaseResult ours, ContestantRounds one, CaseResult theirs, LineClass? line)
    {
        (ContestantRounds Peer, double[] Ours, double[] Theirs)[] peers =
        [
            .. Counted(theirs, claim.Peers, claim)
                .Select(peer => Pair(claim, ours, one, theirs, peer, line))
                .Where(pair => pair.Ours.Length >= Least(line)),
        ];
        if (peers.Length == 0) return null;

        (ContestantRounds best, double[] mine, double[] its) = claim.LowerIsBetter
            ? peers.MinBy(static one => Statistics.Median(one.Theirs))
            : peers.MaxBy(static one => Statistics.Median(one.Theirs));
        return new ClaimResult(claim, ours.Name, line)
        {
            Ours = one.Contestant.Name,
            Peer = best.Contestant.Name,
            PeersMeasured = peers.Length,
            Figure = Statistics.RatioInterval(mine, its),
            Oversubscribed =
                RowBuilder.IsOversubscribed(one.Contestant) || RowBuilder.IsOversubscribed(best.Contestant),
        };
    }

    private static (ContestantRounds Peer, double[] Ours, double[] Theirs) Pair(
        Claim claim, CaseResult ours, ContestantRounds one, CaseResult theirs, ContestantRounds peer, LineClass? line)
    {
        (Round First, Round Second)[] pairs =
        [
            .. CaseResult.Paired(one.Rounds, peer.Rounds).Where(pair =>
                line is null || (ours.ClassOf(pair.First) == line && theirs.ClassOf(pair.Second) == line)),
        ];
        return (
            peer,
            [.. pairs.Select(pair => Figures.Of(ours, claim.Metric, pair.First.Sample))],
            [.. pairs.Select(pair => Figures.Of(theirs, claim.Metric, pair.Second.Sample))]);
    }

    private static int Least(LineClass? line) => line is null ? 1 : LeastOfClass;
}
