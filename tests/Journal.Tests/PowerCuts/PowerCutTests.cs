using System.Globalization;

namespace Raceway.Journal.Tests.PowerCuts;

/// <summary>What a power cut at any call leaves of a journal, on a disk that keeps any part of what was not synced.</summary>
/// <remarks><c>RACEWAY_SEED</c> says where randomness begins, <c>RACEWAY_LONG=1</c> asks for 10 million cuts, <c>RACEWAY_CUTS</c> for so
/// many.</remarks>
public sealed class PowerCutTests
{
    private const int Openings = 12;

    private static int FirstSeed => Number("RACEWAY_SEED") ?? 1;

    private static int Wanted => Number("RACEWAY_CUTS") ?? (Tally.IsLong ? 10_000_000 : 100_000);

    private static int? Number(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int number) ? number : null;

    [Fact]
    public void Open_AfterPowerCutsAndErrorsAtAnyCall_FindsAllThatWasAcknowledgedAndNothingElse()
    {
        long wanted = Wanted;
        long cuts = 0;
        long faults = 0;
        int next = unchecked(FirstSeed * 1_000_003);
        Parallel.For(0, Environment.ProcessorCount, _ =>
        {
            while (Interlocked.Read(ref cuts) < wanted)
            {
                int seed = Interlocked.Increment(ref next);
                var life = new Life(seed);
                try
                {
                    life.Run(Openings);
                }
                catch (Exception fault)
                {
                    throw new InvalidOperationException($"seed {seed}: {fault}", fault);
                }

                Interlocked.Add(ref cuts, life.Cuts);
                Interlocked.Add(ref faults, life.Faults);
            }
        });

        Assert.True(faults > wanted / 100, $"only {faults} errors");
        Tally.Add(Counted.Faults, cuts);
        TestContext.Current.TestOutputHelper?.WriteLine($"{cuts} power cuts, {faults} other faults");
    }
}
