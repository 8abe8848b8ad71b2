namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>The write-up's fourth actor as its tables suggest: two arrays as long as the bound, made once. A poster that finds the one in
/// use full sleeps until the thread exchanges them.</summary>
internal sealed class ThreadedActor4
{
    private readonly object _gate = new();
    private readonly Thread _thread;
    private int[] _posted;
    private int _count;
    private bool _asleep;
    private bool _ended;

    public ThreadedActor4(Actor actor, int bound)
    {
        _posted = new int[bound];
        _thread = new Thread(() => Run(actor)) { IsBackground = true, Name = nameof(ThreadedActor4) };
        _thread.Start();
    }

    public void Post(int message)
    {
        lock (_gate)
        {
            while (_count == _posted.Length) Monitor.Wait(_gate);
            _posted[_count++] = message;
            if (!_asleep) return;
            _asleep = false;
            Monitor.PulseAll(_gate);
        }
    }

    public void End()
    {
        lock (_gate)
        {
            _ended = true;
            Monitor.PulseAll(_gate);
        }

        _thread.Join();
    }

    private void Run(Actor actor)
    {
        int[] taken = new int[_posted.Length];
        while (true)
        {
            int count;
            lock (_gate)
            {
                while (_count == 0)
                {
                    if (_ended) return;
                    _asleep = true;
                    Monitor.Wait(_gate);
                }

                (_posted, taken, count) = (taken, _posted, _count);
                _count = 0;
                if (count == taken.Length) Monitor.PulseAll(_gate);
            }

            foreach (int message in taken.AsSpan(0, count)) actor.Take(message);
        }
    }
}

/// <inheritdoc cref="ThreadedActor4"/>
internal readonly struct ThreadedActor4Boxes : IBoxes<ThreadedActor4>
{
    public static ThreadedActor4 Start(Actor actor, int? bound) => new(actor, bound ?? 1024);

    public static void Post(ThreadedActor4 box, int message) => box.Post(message);

    public static ValueTask PostAsync(ThreadedActor4 box, int message)
    {
        box.Post(message);
        return default;
    }

    public static void End(ThreadedActor4 box) => box.End();
}
