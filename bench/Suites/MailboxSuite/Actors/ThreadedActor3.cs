namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>The write-up's third actor as its tables suggest: a list under a lock, which the thread exchanges for an empty one
/// and works through outside of the lock.</summary>
internal sealed class ThreadedActor3
{
    private readonly object _gate = new();
    private readonly Thread _thread;
    private List<int> _posted = [];
    private bool _asleep;
    private bool _ended;

    public ThreadedActor3(Actor actor)
    {
        _thread = new Thread(() => Run(actor)) { IsBackground = true, Name = nameof(ThreadedActor3) };
        _thread.Start();
    }

    public void Post(int message)
    {
        lock (_gate)
        {
            _posted.Add(message);
            if (!_asleep) return;
            _asleep = false;
            Monitor.Pulse(_gate);
        }
    }

    public void End()
    {
        lock (_gate)
        {
            _ended = true;
            Monitor.Pulse(_gate);
        }

        _thread.Join();
    }

    private void Run(Actor actor)
    {
        List<int> taken = [];
        while (true)
        {
            lock (_gate)
            {
                while (_posted.Count == 0)
                {
                    if (_ended) return;
                    _asleep = true;
                    Monitor.Wait(_gate);
                }

                (_posted, taken) = (taken, _posted);
            }

            foreach (int message in taken) actor.Take(message);
            taken.Clear();
        }
    }
}

/// <inheritdoc cref="ThreadedActor3"/>
internal readonly struct ThreadedActor3Boxes : IBoxes<ThreadedActor3>
{
    public static ThreadedActor3 Start(Actor actor, int? bound) => new(actor);

    public static void Post(ThreadedActor3 box, int message) => box.Post(message);

    public static ValueTask PostAsync(ThreadedActor3 box, int message)
    {
        box.Post(message);
        return default;
    }

    public static void End(ThreadedActor3 box) => box.End();
}
