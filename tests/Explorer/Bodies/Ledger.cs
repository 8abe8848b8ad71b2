using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>What was accepted, refused, handled and left over: at the end of a ring the books must balance.</summary>
internal sealed class Ledger
{
    private readonly List<long> _accepted = [];
    private readonly List<long> _refused = [];
    private readonly List<long> _left = [];

    public Log Handled { get; } = new();

    public int Accepted => _accepted.Count;

    public int Left => _left.Count;

    /// <summary>What producers that were refused have been told.</summary>
    public List<Exception> Refusals { get; } = [];

    /// <summary>For the options of the ring.</summary>
    public void Take(ref Item item)
    {
        World.Reads(in item);
        _left.Add(item.Value);
    }

    public bool Put(Producer<Item> producer, long value) => Book(value, () => producer.Put(value));

    public bool TryPut(Producer<Item> producer, long value) =>
        producer.TryPut(value) && Book(value, static () => { });

    /// <summary>Claims, writes, and then commits or gives up by leaving.</summary>
    public bool Claim(Producer<Item> producer, long value, bool commit = true)
    {
        try
        {
            using Claim<Item> claim = producer.Claim();
            Write(ref claim.Slot, value);
            if (!commit) return false;
            claim.Commit();
            _accepted.Add(value);
            return true;
        }
        catch (InvalidOperationException refusal)
        {
            Refuse(value, refusal);
            return false;
        }
    }

    /// <summary>Commits <paramref name="claim"/>; false where it came too late.</summary>
    public bool Commit(ref Claim<Item> claim, long value)
    {
        try
        {
            claim.Commit();
            _accepted.Add(value);
            return true;
        }
        catch (InvalidOperationException refusal)
        {
            Refuse(value, refusal);
            return false;
        }
    }

    public static void Write(ref Item slot, long value)
    {
        World.Wrote(in slot);
        slot.Value = value;
    }

    /// <summary>Runs <paramref name="publish"/>; what it does not throw for is accepted.</summary>
    public bool Book(long value, Action publish)
    {
        try
        {
            publish();
            _accepted.Add(value);
            return true;
        }
        catch (InvalidOperationException refusal)
        {
            Refuse(value, refusal);
            return false;
        }
    }

    /// <summary>Accepted = handled + left over, the ring has counted what is left, and nothing refused is among them.</summary>
    public void Balance(Ring ring)
    {
        IEnumerable<long> seen = Handled.Values.Concat(_left).Order();
        World.Check(
            seen.SequenceEqual(_accepted.Order()),
            $"accepted [{Text(_accepted)}], refused [{Text(_refused)}], handled [{Text(Handled.Values)}], left over [{Text(_left)}]");
        World.Equal(_left.Count, ring.Unprocessed, "unprocessed");
    }

    /// <summary>The same for rings of several last stages: what one has handled may be left over for another.</summary>
    public void BalanceGated(Ring ring)
    {
        World.Equal(_left.Count, ring.Unprocessed, "unprocessed");
        World.Check(
            Handled.Values.Concat(_left).Distinct().Order().SequenceEqual(_accepted.Order()),
            $"accepted [{Text(_accepted)}], handled [{Text(Handled.Values)}], left over [{Text(_left)}]");
    }

    /// <summary>Every refusal was a <typeparamref name="T"/>.</summary>
    public void AreRefusals<T>() =>
        World.Check(Refusals.TrueForAll(refusal => refusal is T), $"refused by {string.Join(", ", Refusals.Select(one => one.GetType().Name))}");

    private void Refuse(long value, Exception refusal)
    {
        _refused.Add(value);
        Refusals.Add(refusal);
    }

    private static string Text(IEnumerable<long> values) => string.Join(", ", values);
}

/// <summary>Logs, and notices whatever is called before its start, after its stop, or twice.</summary>
internal class Hooked(Log log) : IBatchHandler<Item>, IStageLifetime
{
    public int Starts { get; private set; }

    public int Stops { get; private set; }

    public bool Inside { get; private set; }

    public virtual void OnStart() => World.Equal(1, ++Starts, "start hooks");

    public virtual void OnStop()
    {
        World.Check(!Inside, "stopped inside a call");
        World.Equal(1, Starts, "start hooks before the stop");
        World.Equal(1, ++Stops, "stop hooks");
    }

    public void OnBatch(Batch<Item> batch)
    {
        World.Check(!Inside && Starts == 1 && Stops == 0, $"called after {Starts} starts and {Stops} stops");
        Inside = true;
        try
        {
            foreach (ref Item item in batch) Handle(ref item);
        }
        finally
        {
            Inside = false;
        }
    }

    /// <summary>As many stops as starts, and nobody inside.</summary>
    public void HasEnded() => World.Check(Starts == Stops && !Inside, $"{Starts} starts, {Stops} stops");

    protected virtual void Handle(ref Item item) => log.Add(in item);
}

/// <summary>Throws for some of the values.</summary>
internal sealed class Failing(Log log, params long[] values) : Hooked(log)
{
    protected override void Handle(ref Item item)
    {
        World.Reads(in item);
        if (values.Contains(item.Value)) throw new NotSupportedException();
        base.Handle(ref item);
    }
}

/// <summary>Throws for a batch with one of the values, before anything of it is logged.</summary>
internal sealed class FailingWhole(Log log, params long[] values) : IBatchHandler<Item>
{
    public void OnBatch(Batch<Item> batch)
    {
        foreach (ref Item item in batch)
        {
            World.Reads(in item);
            if (values.Contains(item.Value)) throw new NotSupportedException();
        }

        foreach (ref Item item in batch) log.Add(in item);
    }
}
