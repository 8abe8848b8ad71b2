namespace Raceway.Measuring;

/// <summary>Checks aims against what was measured.</summary>
public static class AimCheck
{
    // Fewer rounds of a line class say nothing about it.
    private const int LeastOfClass = 3;

    /// <summary>
    /// The answer to each aim about a case that was run, in the order of the aims. Where there are enough rounds on near
    /// lines and enough on far ones, the answer over all rounds is followed by one for each of the two.
    /// </summary>
    public static IReadOnlyList<AimResult> Of(IEnumerable<Aim> aims, IReadOnlyList<CaseResult> cases) =>
        [.. aims.SelectMany(aim => cases.Where(one => IsAbout(aim, one)).SelectMany(one => Check(aim, one, cases)))];

    private static bool IsAbout(Aim aim, CaseResult one) =>
        aim.Case is null ? one.Metric == MetricKind.Throughput : one.Name == aim.Case;

    private static IEnumerable<AimResult> Check(Aim aim, CaseResult ours, IReadOnlyList<CaseResult> cases)
    {
        CaseResult? theirs = aim.PeerCase is null ? ours : cases.FirstOrDefault(one => one.Name == aim.PeerCase);
        string? reason = theirs is null
            ? $"{aim.PeerCase} was not run"
            : Broken(ours, aim) ?? Missing(ours, [aim.Ours], aim) ?? (aim.IsAbsolute ? null : Missing(theirs, aim.Peers, aim));
        if (reason is not null)
        {
            return [new AimResult(aim, ours.Name) { Reason = reason }];
        }

        AimResult all = Answer(aim, ours, theirs!, null)
            ?? new AimResult(aim, ours.Name)
            {
                Reason = aim.IsAbsolute ? $"no {aim.LeastText}" : "no rounds that can be paired",
            };
        AimResult? near = Answer(aim, ours, theirs!, LineClass.Near), far = Answer(aim, ours, theirs!, LineClass.Far);
        return near is null || far is null ? [all] : [all, near, far];
    }

    /// <summary>Which of ours has failed or was wrong, and why. An aim is about each that is meant: what the others show does not meet it.</summary>
    private static string? Broken(CaseResult result, Aim aim) => result.Contestants
        .Where(one => Aim.IsMeant(one.Contestant.Name, [aim.Ours]))
        .Select(static one => one.Failure is { } failure ? $"{one.Contestant.Name}: {failure}"
            : one is { Rounds.Count: > 0, Verified: false } ? $"{one.Contestant.Name}: wrong result"
            : null)
        .FirstOrDefault(static reason => reason is not null);

    /// <summary>Why none of the contestants meant can be counted, or <see langword="null"/> where one can.</summary>
    private static string? Missing(CaseResult result, IReadOnlyList<string> names, Aim aim)
    {
        ContestantRounds[] meant = [.. result.Contestants.Where(one => Aim.IsMeant(one.Contestant.Name, names))];
        string text = string.Join(", ", names);
        if (meant.Length == 0) return $"{text} is not there";
        if (meant.Any(one => HasFigure(result, one, aim))) return null;
        return meant.Select(static one => one.Failure).OfType<string>().FirstOrDefault() is { } failure
            ? $"{text}: {failure}"
            : meant.Any(static one => one.Rounds.Count > 0 && !one.Verified) ? $"{text}: wrong result"
            : $"{text}: no {aim.Metric}";
    }

    private static bool HasFigure(CaseResult result, ContestantRounds one, Aim aim) =>
        one.Verified && one.Rounds.All(round => !double.IsNaN(Figures.Of(result, aim.Metric, round.Sample)));

    private static AimResult? Answer(Aim aim, CaseResult ours, CaseResult theirs, LineClass? line)
    {
        ContestantRounds[] counted = [.. Counted(ours, [aim.Ours], aim)];
        AimResult[] answers =
        [
            .. counted.Select(one => aim.IsAbsolute
                ? Alone(aim, ours, one, line)
                : BestPeer(aim, ours, one, theirs, line)).OfType<AimResult>(),
        ];

        // Every one of ours is meant, so the worst of them is the answer.
        AimResult? worst = aim.LowerIsBetter
            ? answers.MaxBy(static one => one.Figure!.Value.High)
            : answers.MinBy(static one => one.Figure!.Value.Low);
        return worst is null ? null : worst with { NotJudged = counted.Length - answers.Length };
    }

    private static IEnumerable<ContestantRounds> Counted(CaseResult result, IReadOnlyList<string> names, Aim aim) =>
        result.Contestants.Where(one => Aim.IsMeant(one.Contestant.Name, names) && HasFigure(result, one, aim));

    private static AimResult? Alone(Aim aim, CaseResult result, ContestantRounds one, LineClass? line)
    {
        double[] figures =
        [
            .. one.Rounds.Where(round => round.Sample.Operations >= aim.LeastOperations)
                .Where(round => line is null || result.ClassOf(round) == line)
                .Select(round => Figures.Of(result, aim.Metric, round.Sample)),
        ];
        return figures.Length < Least(line) ? null : new AimResult(aim, result.Name, line)
        {
            Ours = one.Contestant.Name,
            OursNote = one.Contestant.Note,
            Figure = Statistics.Interval(figures),
            Unit = one.Rounds[0].Sample.Counts?.FirstOrDefault(count => count.Metric == aim.Metric).Unit ?? Figures.UnitOf(aim.Metric),
            Oversubscribed = RowBuilder.IsOversubscribed(one.Contestant),
        };
    }

    private static AimResult? BestPeer(
        Aim aim, CaseResult ours, ContestantRounds one, CaseResult theirs, LineClass? line)
    {
        (ContestantRounds Peer, double[] Ours, double[] Theirs)[] peers =
        [
            .. Counted(theirs, aim.Peers, aim)
                .Where(peer => peer != one)
                .Select(peer => Pair(aim, ours, one, theirs, peer, line))
                .Where(pair => pair.Ours.Length >= Least(line)),
        ];
        if (peers.Length == 0) return null;

        (ContestantRounds best, double[] mine, double[] its) = aim.LowerIsBetter
            ? peers.MinBy(static one => Statistics.Median(one.Theirs))
            : peers.MaxBy(static one => Statistics.Median(one.Theirs));
        return new AimResult(aim, ours.Name, line)
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
        Aim aim, CaseResult ours, ContestantRounds one, CaseResult theirs, ContestantRounds peer, LineClass? line)
    {
        (Round First, Round Second)[] pairs =
        [
            .. CaseResult.Paired(one.Rounds, peer.Rounds).Where(pair =>
                line is null || (ours.ClassOf(pair.First) == line && theirs.ClassOf(pair.Second) == line)),
        ];
        return (
            peer,
            [.. pairs.Select(pair => Figures.Of(ours, aim.Metric, pair.First.Sample))],
            [.. pairs.Select(pair => Figures.Of(theirs, aim.Metric, pair.Second.Sample))]);
    }

    private static int Least(LineClass? line) => line is null ? 1 : LeastOfClass;
}
