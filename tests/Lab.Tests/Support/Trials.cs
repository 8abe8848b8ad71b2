using System.Diagnostics;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Support;

/// <summary>Two stages that count and sum, in order.</summary>
internal class SumTrial : ITrial<long>
{
    private long _next;
    private long _sum;
    private bool _inOrder = true;

    public Pipeline<long> Build(PipelineSettings settings) => Define().Build(settings);

    public virtual void Fill(ref long slot, long number) => slot = number;

    public virtual bool Check(long items) => _inOrder && _next == items && _sum == items * (items - 1);

    protected virtual PipelineBuilder<long, long> Define() => Pipeline.Of<long>(1024)
        .Stage("double", static (ref long item) => item *= 2)
        .Stage("sum", Sum);

    protected void Sum(ref long item)
    {
        _inOrder &= item == 2 * _next++;
        _sum += item;
    }
}

/// <summary>Counts one item too many.</summary>
internal sealed class WrongTrial : SumTrial
{
    public override bool Check(long items) => base.Check(items + 1);
}

/// <summary>Throws in a stage.</summary>
internal sealed class ThrowingTrial : SumTrial
{
    protected override PipelineBuilder<long, long> Define() =>
        base.Define().Stage("throw", static (ref long item) => throw new FormatException($"item {item} is bad"));
}

/// <summary>Ends its process under one setting, and hangs under another.</summary>
internal sealed class DyingTrial : ITrial<long>
{
    private readonly SumTrial _sum = new();

    public Pipeline<long> Build(PipelineSettings settings)
    {
        // A new process and a run's whole limit take their time: few of the settings do it.
        if (settings is { Plan: Plan.Fused, Dispatch.Level: DispatchLevel.Single }) Environment.FailFast("planted in a trial");
        if (settings is { Plan: Plan.SharedRing, Dispatch: { Level: DispatchLevel.Each, Max: 1024 } })
            new ManualResetEvent(false).WaitOne();
        return _sum.Build(settings);
    }

    public void Fill(ref long slot, long number) => _sum.Fill(ref slot, number);

    public bool Check(long items) => _sum.Check(items);
}

/// <summary>Cannot be made without an argument.</summary>
internal sealed class DemandingTrial(int argument) : ITrial<int>
{
    public Pipeline<int> Build(PipelineSettings settings) => Pipeline.Of<int>(argument).Build(settings);

    public void Fill(ref int slot, long number) => slot = (int)number;

    public bool Check(long items) => true;
}

/// <summary>A stage whose batch costs the square of its size.</summary>
internal sealed class SquareTrial : SumTrial
{
    private readonly Sort _sort = new();

    /// <summary>What it has cost until now.</summary>
    public long Comparisons => _sort.Comparisons;

    protected override PipelineBuilder<long, long> Define() => base.Define().Stage("sort", _sort);

    private sealed class Sort : IBatchHandler<long>
    {
        public long Comparisons { get; private set; }

        public void OnBatch(Batch<long> batch) => Comparisons += (long)batch.Count * batch.Count;
    }
}

/// <summary>Stages of one thread that wait for something outside, at every call, for three quarters of the time at least.</summary>
/// <remarks>However long other programs hold the thread up, the next call makes up for it.</remarks>
internal sealed class BlockingTrial : SumTrial
{
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(5);

    private readonly ManualResetEvent _never = new(false);
    private readonly Stopwatch _all = Stopwatch.StartNew();
    private readonly TimeSpan _paused = GC.GetTotalPauseDuration();
    private TimeSpan _asleep;

    protected override PipelineBuilder<long, long> Define()
    {
        PipelineBuilder<long, long> builder = base.Define();
        for (int i = 1; i <= 4; i++) builder.Stage($"disk {i}", new Blocking(this));
        return builder;
    }

    // On a busy machine a sleep ends late, which is not known to have been sleep: the next one makes up for it, in this very call,
    // as there may be no other. Pauses of the collector count against it too: the diagnosis takes all of them off.
    private void Sleep()
    {
        TimeSpan missing = s_least;
        while (missing > TimeSpan.Zero)
        {
            TimeSpan sleep = missing > s_least ? missing : s_least;
            _never.WaitOne(sleep);
            _asleep += sleep;
            TimeSpan other = _all.Elapsed - _asleep + (GC.GetTotalPauseDuration() - _paused);
            missing = (3 * other) - _asleep;
        }
    }

    private sealed class Blocking(BlockingTrial trial) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch) => trial.Sleep();
    }
}

/// <summary>Both sides of each ring notice late that they can go on: they wait for nine tenths of the time at least.</summary>
internal sealed class LateTrial : SumTrial
{
    protected override PipelineBuilder<long, long> Define()
    {
        var late = new LateWait();
        return base.Define().Configure(options => options with { Wait = late, ProducerWait = late });
    }

    private sealed class LateWait() : PolledWait("late")
    {
        protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Waiter();
    }

    private sealed class Waiter : PolledWaiter
    {
        private readonly Stopwatch _all = Stopwatch.StartNew();
        private TimeSpan _waited;

        public override void Wait(WaitView target)
        {
            TimeSpan begin = _all.Elapsed;
            var pause = new SpinWait();
            while (!(target.IsOver || target.IsDue) || _waited + (_all.Elapsed - begin) < 0.9 * _all.Elapsed) pause.SpinOnce();
            _waited += _all.Elapsed - begin;
        }
    }
}

/// <summary>A stage that waits in its handler for as long as a test holds it, behind one that counts.</summary>
internal sealed class HeldTrial : SumTrial
{
    private readonly TaskCompletionSource _isIn = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ManualResetEventSlim _gate = new();
    private long _counted;

    public Task IsIn => _isIn.Task;

    public long Counted => Volatile.Read(ref _counted);

    public int CountingThread { get; private set; }

    public int HeldThread { get; private set; }

    public void Release() => _gate.Set();

    protected override PipelineBuilder<long, long> Define() => base.Define().Stage("count", Count).Stage("disk", Hold);

    private void Count(ref long item)
    {
        CountingThread = Environment.CurrentManagedThreadId;
        Volatile.Write(ref _counted, _counted + 1);
    }

    private void Hold(ref long item)
    {
        HeldThread = Environment.CurrentManagedThreadId;
        _isIn.TrySetResult();
        _gate.Wait();
    }
}

/// <summary>Reads the standard input wherever it can: there must be nothing in it, and nothing to wait for.</summary>
internal sealed class StandardInputTrial : SumTrial
{
    private readonly int _read = Console.OpenStandardInput().ReadByte();

    public override bool Check(long items) => base.Check(items) && _read < 0 && Console.In.ReadLine() is null;

    protected override PipelineBuilder<long, long> Define()
    {
        Console.Out.WriteLine("this is no answer");
        return base.Define();
    }
}

/// <summary>Never comes to its end, and does not listen.</summary>
internal sealed class EndlessTrial : SumTrial
{
    public override void Fill(ref long slot, long number) => new ManualResetEvent(false).WaitOne();
}
