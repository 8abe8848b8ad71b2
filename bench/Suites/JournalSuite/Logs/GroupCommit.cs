using Raceway.Suites.Batching;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>Stores a group, and returns when all of it is durable.</summary>
internal interface IGroupStore : IDisposable
{
    /// <summary>Nothing of an earlier round counts any more.</summary>
    void Begin();

    /// <summary>Stores some items.</summary>
    /// <param name="items">Each with <see cref="GroupCommit.Room"/> bytes in front of it, which are the store's.</param>
    /// <param name="first">The index of the first.</param>
    /// <param name="count">How many.</param>
    void Append(Span<byte> items, long first, int count);

    /// <inheritdoc cref="DurableLog.ReadBack"/>
    void ReadBack(long count, StoredReader item);
}

/// <summary>The group commit that a program writes by hand: two buffers under a monitor, and a thread that stores the full one.</summary>
/// <remarks>Whatever came while the last group was synced is the next group: the groups form as they do in a journal's ring.</remarks>
internal sealed class GroupCommit : DurableLog
{
    /// <summary>Bytes that a store may use in front of each item.</summary>
    public const int Room = 8;

    private readonly object _gate = new();
    private readonly IGroupStore _store;
    private readonly int _length;
    private readonly int _capacity;
    private readonly int _most;
    private readonly Thread _thread;
    private byte[] _filling;
    private byte[] _storing;
    private int _filled;
    private long _done;
    private long _groups;
    private bool _ends;

    /// <param name="store">Where groups go.</param>
    /// <param name="length">Bytes of an item.</param>
    /// <param name="capacity">Items that wait at most.</param>
    /// <param name="most">Items of a group at most.</param>
    public GroupCommit(IGroupStore store, int length, int capacity, int most = int.MaxValue)
    {
        (_store, _length, _capacity, _most) = (store, length, capacity, most);
        _filling = new byte[capacity * (Room + length)];
        _storing = new byte[capacity * (Room + length)];
        _thread = new Thread(Store) { IsBackground = true, Name = "group commit" };
        _thread.Start();
    }

    public override long Groups => Volatile.Read(ref _groups);

    public override void Begin(Acknowledgements acknowledged)
    {
        base.Begin(acknowledged);
        _done = 0;
        _store.Begin();
    }

    public override void Give(in Job job)
    {
        lock (_gate)
        {
            while (_filled == _capacity) Monitor.Wait(_gate);
            Logged.Fill(_filling.AsSpan((_filled * (Room + _length)) + Room, _length), job.Index, Acknowledged.Round.Number);
            if (_filled++ == 0) Monitor.PulseAll(_gate);
        }
    }

    public override void ReadBack(long count, StoredReader item) => _store.ReadBack(count, item);

    public override void Dispose()
    {
        lock (_gate)
        {
            _ends = true;
            Monitor.PulseAll(_gate);
        }

        _thread.Join();
        _store.Dispose();
    }

    private void Store()
    {
        while (TakeFilled() is > 0 and int count)
        {
            try
            {
                for (int at = 0; at < count; at += _most)
                {
                    int part = Math.Min(_most, count - at);
                    _store.Append(_storing.AsSpan(at * (Room + _length), part * (Room + _length)), _done, part);
                    Volatile.Write(ref _groups, _groups + 1);
                    Acknowledged.Reach(_done += part);
                }
            }
            catch (Exception fault)
            {
                Acknowledged.Fail(fault);
            }
        }
    }

    private int TakeFilled()
    {
        lock (_gate)
        {
            while (_filled == 0 && !_ends) Monitor.Wait(_gate);
            int count = _filled;
            (_filling, _storing, _filled) = (_storing, _filling, 0);
            if (count == _capacity) Monitor.PulseAll(_gate);
            return count;
        }
    }
}
