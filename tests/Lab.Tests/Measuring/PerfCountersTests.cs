using Raceway.Analysis.SharingStudy;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

public sealed class PerfCountersTests
{
    private static readonly string[] s_asked = ["cache-misses", "migrations", "context-switches"];

    /// <summary>Whichever counters a machine has, each is read or has a reason why it is not.</summary>
    [Fact]
    public void Open_OnLinux_CountsOrSaysWhyNot()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: the counters are Linux's");
        using PerfCounters counters = PerfCounters.Open();

        Assert.Equal(counters.Metrics.Count(), counters.Read().Length);
        string missing = counters.Missing ?? "";
        Assert.Equal(s_asked.Except(counters.Metrics), s_asked.Where(metric => missing.Contains($"no {metric}", StringComparison.Ordinal)));
        if (missing.Length > 0) Assert.Matches(@"^(Hardware|Kernel) counters: no .*\.$", missing);
    }

    [Fact]
    public void Open_Elsewhere_SaysThatThereAreNone()
    {
        Assert.SkipWhen(OperatingSystem.IsLinux(), "not run: Linux has the counters");
        using PerfCounters counters = PerfCounters.Open();

        Assert.Empty(counters.Metrics);
        Assert.StartsWith("Hardware counters: none", counters.Missing, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_ThreadsThatWaited_AreCounted()
    {
        using PerfCounters counters = PerfCounters.Open();
        int switches = counters.Metrics.ToList().IndexOf("context-switches");
        Assert.SkipWhen(switches < 0, $"not run: {counters.Missing}");

        long before = counters.Read()[switches];
        using var ready = new SemaphoreSlim(0);
        using var go = new SemaphoreSlim(0);
        var thread = new Thread(() =>
        {
            ready.Release();
            go.Wait();
        });
        thread.Start();
        ready.Wait();
        go.Release();
        thread.Join();

        // One of the two slept at least once, whatever the number of processors.
        Assert.InRange(counters.Read()[switches], before + 1, long.MaxValue);
    }

    [Fact]
    public void Run_CountedContestant_AddsWhatWasCounted()
    {
        using PerfCounters counters = PerfCounters.Open();
        var inner = new CellContestant(CellOperation.Locked, stride: 64, threads: 2);
        var counted = new CountedContestant(inner, counters);

        Sample sample = counted.Run(1_000, default);

        Assert.True(sample.Verified);
        Assert.Equal(counters.Metrics, sample.Counts.Select(static count => count.Metric));
        Assert.Equal((inner.Name, inner.Knobs), (counted.Name, counted.Knobs));
    }
}
