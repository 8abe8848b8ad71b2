
namespace Raceway.Proof.Tests.Litmus;

/// <summary>Two threads meet on a state of shipped types, again and again; every outcome is counted, and some are forbidden.</summary>
/// <remarks>
/// Two actors need two processors. With fewer, or with more actors than processors, a run says "inconclusive": a forbidden
/// outcome still fails it, but its absence claims nothing. What only weaker hardware reorders is not seen on x64.
/// </remarks>
[Collection(OneAtATime.Name)]
public sealed class LitmusTests(ITestOutputHelper output)
{
    private const int LongFactor = 100;
    private static readonly TimeSpan s_most = TimeSpan.FromMilliseconds(400);

    private static readonly LitmusTest[] s_all =
    [
        .. CellState.All, .. StampState.All, GateState.Test, .. ProducerState.All, .. EndingState.All, .. LaneState.All,
        .. PayloadState.All,
    ];

    public static TheoryData<string> All => [.. s_all.Select(test => test.Name)];

    [Theory]
    [MemberData(nameof(All))]
    public async Task Actors_AtOnce_NothingForbidden(string name)
    {
        LitmusTest test = s_all.Single(test => test.Name == name);
        int factor = Tally.IsLong ? LongFactor : 1;
        LitmusResult result = await test.Run((long)test.Iterations * factor, s_most * factor, Seed.For(name));
        output.WriteLine(result.ToString());
        Assert.True(result.Forbidden == 0, result.ToString());
        Assert.True(result.Iterations > 0);
    }

    [Fact]
    public void All_Names_AreTwentyAtLeast() => Assert.True(s_all.DistinctBy(test => test.Name).Count() >= 20);
}
