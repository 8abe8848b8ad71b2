using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>Draws cases from a seed, and shows the smallest that fails as what was done, step by step.</summary>
internal static class Cases
{
    /// <summary>Names the seed that a failure has printed.</summary>
    public const string SeedVariable = "RACEWAY_SEED";

    // The watchdog gives up where one wait lasts minutes, so that a long run is cut into pieces; each has its own seed.
    private const int InOnePiece = 2_000;

    /// <summary>The seed of this run: the environment's, or a new one each time.</summary>
    public static ulong Seed { get; } =
        Environment.GetEnvironmentVariable(SeedVariable) is { Length: > 0 } text
            ? ulong.Parse(text, CultureInfo.InvariantCulture)
            : (ulong)Random.Shared.NextInt64(1, int.MaxValue);

    /// <summary>So many cases: <paramref name="push"/>, or the hundredfold in the long set.</summary>
    public static int Count(int push) => Tally.IsLong ? 10 * push : push;

    /// <summary>Checks <paramref name="count"/> cases.</summary>
    /// <param name="count">How many.</param>
    /// <param name="generator">Draws one.</param>
    /// <param name="shrink">Smaller ones to try, where one has failed.</param>
    /// <param name="run">Throws where it fails; returns how many operations it has checked. Given a trace it says what it does.</param>
    public static async Task Check<TCase>(
        int count, Gen<TCase> generator, Func<TCase, IEnumerable<TCase>> shrink, Func<TCase, Trace?, int> run)
    {
        long operations = 0;
        for (int done = 0, piece = 0; done < count; done += InOnePiece, piece++)
        {
            ulong seed = Seed + (ulong)piece;
            int now = Math.Min(InOnePiece, count - done);
            await Watchdog.Await(
                Watchdog.Run(() => CheckPiece(now, seed, generator, shrink, one => operations += run(one, null), run)),
                progress: () => Volatile.Read(ref operations),
                what: $"{SeedVariable}={seed}, of {typeof(TCase).Name}");
        }

        Assert.True(operations > count, "The cases do next to nothing.");
        Tally.Add(Counted.Operations, operations);
    }

    private static void CheckPiece<TCase>(
        int count, ulong seed, Gen<TCase> generator, Func<TCase, IEnumerable<TCase>> shrink, Action<TCase> check,
        Func<TCase, Trace?, int> run)
    {
        TCase smallest = default!;
        Exception? failure = null;
        Property property = Prop.ForAll(Arb.From(generator, shrink), one =>
        {
            try
            {
                check(one);
            }
            catch (Exception fault)
            {
                // Shrinking goes from one that fails to a smaller one that fails.
                (smallest, failure) = (one, fault);
                throw;
            }
        });
        Config config = Config.QuickThrowOnFailure.WithMaxTest(count).WithQuietOnSuccess(true)
            .WithReplay(new Replay(new Rnd(seed), null));
        Exception? reported = Record.Exception(() => FsCheck.Check.One(config, property));
        if (failure is null)
        {
            Assert.Null(reported);
            return;
        }

        var trace = new Trace();
        Record.Exception(() => run(smallest, trace));
        Assert.Fail($"{SeedVariable}={seed}\n{smallest}\n{trace}\n{failure}");
    }

    /// <summary>The list without parts of it: halves first, single ones last.</summary>
    public static IEnumerable<T[]> Shorter<T>(T[] all)
    {
        for (int length = all.Length / 2; length > 0; length /= 2)
            for (int first = 0; first + length <= all.Length; first += length)
                yield return [.. all[..first], .. all[(first + length)..]];
        if (all.Length == 1) yield return [];
    }
}

/// <summary>What a case did, a line a step.</summary>
internal sealed class Trace
{
    private readonly List<string> _lines = [];

    public void Add(string line) => _lines.Add(line);

    public override string ToString() => string.Join('\n', _lines.Select((line, i) => $"{i + 1,4}. {line}"));
}
