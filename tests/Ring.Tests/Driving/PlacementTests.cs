using System.Globalization;
using System.Text;

namespace Raceway.Rings.Tests;

/// <summary>Where a stage's thread runs and what the system calls it, by the system's own account.</summary>
public sealed class PlacementTests
{
    // Processors that no machine has which this is likely to run on.
    private const int Absent = Affinity.Most - 1;

    /// <summary>Asks the system about the thread that it is called on.</summary>
    private sealed class Witness : IBatchHandler<long>, IStageLifetime
    {
        private readonly TaskCompletionSource _handled = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Handled => _handled.Task;

        public string AtStart { get; private set; } = "";

        public string InHandler { get; private set; } = "";

        public string OnThreadOfItsOwn { get; private set; } = "";

        public string ThreadName { get; private set; } = "";

        public void OnStart() => AtStart = Allowed();

        public void OnBatch(Batch<long> batch)
        {
            InHandler = Allowed();
            ThreadName = OperatingSystem.IsLinux() ? File.ReadAllText("/proc/thread-self/comm").TrimEnd('\n') : "";
            var other = new Thread(() => OnThreadOfItsOwn = Allowed());
            other.Start();
            other.Join();
            _handled.TrySetResult();
        }

        public void OnStop()
        {
        }
    }

    private static string Allowed() => OperatingSystem.IsLinux()
        ? File.ReadAllLines("/proc/thread-self/status")
            .Single(line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)).Split(':')[1].Trim()
        : "";

    private static async Task<(Witness Seen, Stage Stage)> RunOne(StageOptions options, Wait? wait = null)
    {
        var ring = Make.Ring(8, wait: wait);
        var witness = new Witness();
        Stage stage = ring.Subscribe(witness, options);
        if (options.Processors is not null) Assert.Equal(PlacementStatus.Pending, stage.Placement.Status);
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(witness.Handled, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        return (witness, stage);
    }

    [Fact]
    public async Task Processors_One_ThreadRunsThereOnly()
    {
        string before = Allowed();
        int processor = OperatingSystem.IsLinux() ? Affinity.Read()[^1] : 0;

        (Witness seen, Stage stage) = await RunOne(new StageOptions { Processors = [processor, processor] });

        Assert.Equal([processor, processor], stage.Placement.Processors);
        if (!OperatingSystem.IsLinux())
        {
            Assert.Equal(PlacementStatus.Unsupported, stage.Placement.Status);
            Assert.Contains("Linux only", stage.Placement.Reason, StringComparison.Ordinal);
            return;
        }

        string only = processor.ToString(CultureInfo.InvariantCulture);
        Assert.Equal(PlacementStatus.Applied, stage.Placement.Status);
        Assert.Null(stage.Placement.Reason);
        Assert.Equal((only, only), (seen.AtStart, seen.InHandler));
        // Nobody else is bound with it: neither who built the ring nor what a handler starts.
        Assert.Equal((before, before), (Allowed(), seen.OnThreadOfItsOwn));
    }

    [Fact]
    public async Task Processors_NotAsked_ThreadIsLeftAlone()
    {
        string before = Allowed();

        (Witness seen, Stage stage) = await RunOne(new StageOptions());

        Assert.Equal(PlacementStatus.NotAsked, stage.Placement.Status);
        Assert.Empty(stage.Placement.Processors);
        Assert.Equal(before, seen.InHandler);
    }

    [Fact]
    public async Task Processors_SystemRefuses_IsSeenAndTheStageWorks()
    {
        string before = Allowed();

        (Witness seen, Stage stage) = await RunOne(new StageOptions { Processors = [Absent] });

        Assert.Equal(before, seen.InHandler);
        Assert.Equal(
            OperatingSystem.IsLinux() ? PlacementStatus.Refused : PlacementStatus.Unsupported, stage.Placement.Status);
        if (OperatingSystem.IsLinux()) Assert.EndsWith("(error 22)", stage.Placement.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Processors_ThreadOfThePool_IsUnsupported()
    {
        string before = Allowed();

        (Witness seen, Stage stage) = await RunOne(new StageOptions { Processors = [0] }, Wait.Async());

        Assert.Equal(PlacementStatus.Unsupported, stage.Placement.Status);
        Assert.Contains("pool", stage.Placement.Reason, StringComparison.Ordinal);
        Assert.Equal(before, seen.InHandler);
    }

    [Fact]
    public void Processors_ThreadOfTheCaller_IsUnsupported()
    {
        string before = Allowed();
        var ring = Make.Ring(8);
        var witness = new Witness();
        Stage stage = ring.Subscribe(witness, Make.Stepped() with { Processors = [0] });
        ring.CreateProducer().Publish(1);

        stage.Step();

        Assert.Equal(PlacementStatus.Unsupported, stage.Placement.Status);
        Assert.Contains("caller", stage.Placement.Reason, StringComparison.Ordinal);
        Assert.Equal((before, before), (witness.InHandler, Allowed()));
    }

    [Fact]
    public async Task Processors_StagesOnOneThread_TheFirstOnesCount()
    {
        int processor = OperatingSystem.IsLinux() ? Affinity.Read()[0] : 0;
        var ring = Make.Ring(8);
        var options = new StageOptions { InGroup = true };
        Stage first = ring.Subscribe(new Recorder(), options with { Name = "a", Processors = [processor] });
        var witness = new Witness();
        Stage second = ring.Subscribe(witness, options with { Name = "b", After = [first], Processors = [Absent] });
        Stage third = ring.Subscribe(new Recorder(), options with { Name = "c", After = [first] });
        ring.DriveTogether(new FusedStages([first, second, third]), null, "a+b+c");
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(witness.Handled, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);

        Assert.Equal(PlacementStatus.Unsupported, second.Placement.Status);
        Assert.Contains("stage 'a'", second.Placement.Reason, StringComparison.Ordinal);
        Assert.Equal(PlacementStatus.NotAsked, third.Placement.Status);
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run to its end: threads are bound to processors on Linux only");
        Assert.Equal(PlacementStatus.Applied, first.Placement.Status);
        Assert.Equal(processor.ToString(CultureInfo.InvariantCulture), witness.InHandler);
        Assert.Equal("a+b+c", witness.ThreadName);
    }

    [Theory]
    [InlineData(new int[0], "processors=none")]
    [InlineData(new[] { 0, -1 }, "processor=-1")]
    [InlineData(new[] { Affinity.Most }, "processor=1024")]
    public void Processors_WrongList_IsRefused(int[] processors, string value)
    {
        var ring = Make.Ring(8);

        var fault = Assert.Throws<ArgumentException>(
            () => ring.Subscribe(new Recorder(), new StageOptions { Name = "a", Processors = processors }));

        Assert.Contains($"stage='a', {value}", fault.Message, StringComparison.Ordinal);
        Assert.Empty(ring.Stages);
    }

    [Theory]
    [InlineData("parse")]
    [InlineData("a name longer than the system keeps")]
    public async Task Name_OfAStage_IsWhatTheSystemShows(string name)
    {
        (Witness seen, _) = await RunOne(new StageOptions { Name = name });

        byte[] bytes = Encoding.UTF8.GetBytes(name);
        string shown = Encoding.UTF8.GetString(bytes, 0, Math.Min(15, bytes.Length));
        Assert.Equal(OperatingSystem.IsLinux() ? shown : "", seen.ThreadName);
    }
}
