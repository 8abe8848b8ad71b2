using Raceway.Analysis.SharingStudy;
using Raceway.Measuring;
using Raceway.Suites.Batching;
using Raceway.Suites.BoundedSuite;
using Raceway.Suites.ExecutorsSuite;
using Raceway.Suites.InteropSuite;
using Raceway.Suites.JournalSuite;
using Raceway.Suites.LanesSuite;
using Raceway.Suites.LoggingSuite;
using Raceway.Suites.MailboxSuite;
using Raceway.Suites.PlansSuite;
using Raceway.Suites.RingSuite;
using Raceway.Suites.ScopeSuite;
using Raceway.Suites.ThreadPoolSuite;

namespace Raceway.Lab.Cli;

/// <summary>The suites that <c>raceway compare</c> knows.</summary>
internal static class SuiteList
{
    private static readonly TimeSpan s_step = TimeSpan.FromSeconds(15);

    /// <summary>The suites by name.</summary>
    public static IReadOnlyDictionary<string, Suite> All { get; } = new Suite[]
    {
        new("ring", "rings and queues, one operation at a time and under load", RingCases.Baselines),
        new("soak", "whether the cost of an event stays the same", SoakCases.All),
        new("plans", "one definition under every plan", PlansCases.All),
        new("lanes", "keyed items on several workers, each key in order", LanesCases.All),
        new("mailbox", "mailbox actors and what unrelated pool work feels", MailboxCases.All),
        new("threadpool", "what a hop costs: work items, tasks, continuations and stages", ThreadPoolCases.All),
        new("executors", "calls that are run one at a time, or a few at once", ExecutorCases.All),
        new("bounded", "for-each with a bound on bodies in flight", BoundedCases.All),
        new("batching", "what a batch buys in real work, and what it costs in latency", BatchingCases.All) { MostQuick = BatchingCases.MostQuick },
        new("sharing", "false sharing: bare cells, rings written by hand, the real ring", SharingCases.All),
        new("scope", "children that are forked and joined", ScopeCases.All),
        new("journal", "items that are durable before they are acknowledged", JournalCases.All),
        new("interop", "a program that uses channels, before and after they are replaced", InteropCases.All),
        new("logging", "entries into a log file, and what the call takes", LoggingCases.All),
    }.ToDictionary(static suite => suite.Name);

    /// <summary>The cases to run: those named; without names all of the suite, or of a quick run the part meant for it.</summary>
    public static IEnumerable<SuiteCase> Select(string suite, IReadOnlyCollection<string> names, bool quick) =>
        All[suite].Cases.Where(one => names.Count == 0 ? one.InQuick || !quick : names.Any(name => IsNamed(name, one.Name)))
            .Select(one => quick ? one.Quick : one);

    /// <summary>The most time that a run of a suite takes.</summary>
    /// <param name="suite">The suite.</param>
    /// <param name="names">The cases that are named; none for the suite, or the part of it that is meant for a quick run.</param>
    /// <param name="quick">Whether it is a quick run.</param>
    /// <param name="options">Those of the run.</param>
    public static TimeSpan Bound(Suite suite, IReadOnlyCollection<string> names, bool quick, InterleaverOptions options)
    {
        TimeSpan all = Bound(Select(suite.Name, names, quick), options);
        return quick && names.Count == 0 && suite.MostQuick is { } most && most < all ? most : all;
    }

    /// <summary>
    /// The most time that cases take, in whole steps of a quarter of a minute; what <c>soak</c> fills comes on top. Twice what
    /// they take on a slow machine: the bound is there for what goes wrong.
    /// </summary>
    private static TimeSpan Bound(IEnumerable<SuiteCase> cases, InterleaverOptions options)
    {
        TimeSpan most = cases.Aggregate(TimeSpan.Zero, (sum, one) => sum + (2 * Estimate(one, options, TimeSpan.Zero)));
        return s_step * Math.Max(2, Math.Ceiling(most / s_step));
    }

    /// <summary>About how long a case takes, with all its contestants.</summary>
    /// <param name="one">The case.</param>
    /// <param name="options">Those of the run.</param>
    /// <param name="time">How long a case lasts that fills the time.</param>
    public static TimeSpan Estimate(SuiteCase one, InterleaverOptions options, TimeSpan time) =>
        one.Rounds.Estimate(options, time) * one.Contestants.Count;

    /// <summary>What is wrong with the name of a case, or <see langword="null"/> where the suite has one of that name.</summary>
    public static string? ErrorOf(string name, Suite suite) => suite.Cases.Any(one => IsNamed(name, one.Name))
        ? null
        : $"--case takes cases of suite '{suite.Name}': {string.Join(", ", suite.Cases.Select(static one => one.Name))}; "
            + $"there is no '{name}'.";

    /// <summary>Whether a name that was given is that of a case or contestant, or ends in <c>*</c> and is how it begins.</summary>
    public static bool IsNamed(string given, string name) => given.EndsWith('*')
        ? name.StartsWith(given[..^1], StringComparison.Ordinal)
        : name == given;
}
