using System.Globalization;

namespace Raceway.Proof.Tests.Faults;

/// <summary>Two faults at once, drawn at random: what becomes of them is nobody's promise, but the oracles hold.</summary>
public sealed class FaultPairTests(ITestOutputHelper output)
{
    /// <summary>Set to the seed of a failure, it is the first pair of the run.</summary>
    private const string SeedVariable = "RACEWAY_SEED";

    [Fact]
    public async Task Pairs_DrawnAtRandom_KeepEverythingCounted()
    {
        int pairs = Tally.IsLong ? 3_000 : 250;
        int first = int.TryParse(
            Environment.GetEnvironmentVariable(SeedVariable), NumberStyles.Integer, CultureInfo.InvariantCulture, out int given)
            ? given
            : Environment.TickCount & 0xFFF_FFFF;
        output.WriteLine($"{SeedVariable}={first}");
        for (int seed = first; seed < first + pairs; seed++)
        {
            var pair = new FaultPair(seed);
            try
            {
                await pair.RunAsync();
                Tally.Add(Counted.Faults, 1);
            }
            catch (Exception broken)
            {
                Assert.Fail($"{SeedVariable}={seed}: {pair}\n{broken}");
            }
        }
    }
}
