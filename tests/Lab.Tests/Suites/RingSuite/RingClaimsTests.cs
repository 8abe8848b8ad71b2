using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

public sealed class RingClaimsTests
{
    [Fact]
    public void Notes_OfAllRingClaims_AreReadBackAsWritten()
    {
        foreach (Claim claim in RingClaims.All)
        {
            var open = new ClaimResult(claim, claim.Case ?? "any", LineClass.Near) { Reason = "a (b): c; d" };
            foreach (ClaimResult result in new[] { open, open with { Reason = null, Line = null, Figure = default(MedianInterval) } })
            {
                ClaimNote? note = ClaimNote.Parse(result.ToRow().Note);

                Assert.Equal(
                    (claim.Number, result.Line is null ? null : "near", claim.BoundText, result.Verdict, result.Reason),
                    (note?.Number, note?.Line, note?.Bound, note?.Verdict, note?.Reason));
                Assert.StartsWith(claim.Text, note!.Text, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public void Numbers_OfAllClaims_AreEachUsedOnce() =>
        Assert.Equal(RingClaims.All.Count, RingClaims.All.Select(claim => claim.Number).Distinct().Count());

    [Fact]
    public void CasesAndContestants_OfAllClaims_AreThere() => Assert.All(RingClaims.All, static claim =>
    {
        RingCase[] cases = [.. RingCases.Baselines.Where(
            one => claim.Case is null ? one.Metric == MetricKind.Throughput : one.Name == claim.Case)];

        Assert.NotEmpty(cases);
        Assert.All(cases, one => Assert.Contains(NamesIn(one), name => Claim.IsMeant(name, [claim.Ours])));
        IEnumerable<RingCase> theirs = claim.PeerCase is null ? cases : [RingCases.Named(claim.PeerCase)];
        Assert.All(theirs, one => Assert.All(
            claim.Peers, peer => Assert.Contains(NamesIn(one), name => Claim.IsMeant(name, [peer]))));
    });

    private static IEnumerable<string> NamesIn(RingCase one) => one.Create().Select(static contestant => contestant.Name);
}
