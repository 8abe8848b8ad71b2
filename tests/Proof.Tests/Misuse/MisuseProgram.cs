using System.Globalization;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>
/// Runs cases in a process of their own, so that an abort is a failure with a seed and not the end of the test host:
/// <c>misuse KIND SEED CALLS [--outcomes]</c> makes at least so many calls; <c>misuse KIND SEED one</c> runs that case alone, often.
/// </summary>
internal static class MisuseProgram
{
    /// <summary>What a case says before it begins, so that an abort has its seed.</summary>
    public const string CasePrefix = "case ";

    /// <summary>What the run says at its end.</summary>
    public const string CallsPrefix = "calls ";

    private const int Again = 200;
    private const int Wrong = 1;
    private static readonly TimeSpan s_shrinks = TimeSpan.FromSeconds(20);

    public static int Run(string[] args)
    {
        string kind = args[0];
        uint seed = uint.Parse(args[1], CultureInfo.InvariantCulture);
        bool one = args[2] == "one";
        long wished = one ? long.MaxValue : long.Parse(args[2], CultureInfo.InvariantCulture);
        Dictionary<string, long>? outcomes = args.Contains("--outcomes") ? [] : null;
        long calls = 0;
        for (int run = 0; one ? run < Again : calls < wished; run++)
        {
            uint own = one ? seed : seed + (uint)run;
            Console.WriteLine($"{CasePrefix}{own}");
            var drawn = new Case(kind, own);
            if (drawn.Run() is { } wrong) return Report(kind, own, calls, drawn, wrong);
            calls += drawn.Calls;
            if (outcomes is null) continue;
            foreach ((string outcome, int times) in drawn.Outcomes) outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + times;
        }

        foreach ((string outcome, long times) in outcomes?.OrderBy(pair => pair.Key, StringComparer.Ordinal) ?? Enumerable.Empty<KeyValuePair<string, long>>())
            Console.WriteLine($"  {times,8} {outcome}");
        Console.WriteLine($"{CallsPrefix}{calls}");
        return 0;
    }

    private static int Report(string kind, uint seed, long calls, Case drawn, string wrong)
    {
        Console.WriteLine($"WRONG after {calls} calls: misuse {kind} {seed} one\n{wrong}");
        if (!drawn.HasHung)
        {
            Case smallest = drawn.Shrink(s_shrinks, tries: 4);
            Console.WriteLine($"smallest found:\n{smallest.Listing()}");
            for (int run = 0; run < Again; run++)
            {
                if (smallest.Run() is not { } again) continue;
                Console.WriteLine($"which says:\n{again}");
                break;
            }
        }

        Console.Out.Flush();
        // Threads that hang are left where they are.
        Environment.Exit(Wrong);
        return Wrong;
    }
}
