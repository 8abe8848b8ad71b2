using System.Collections.Concurrent;

namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>The write-up's first actor as its tables suggest: a concurrent queue, and an event for a thread that sleeps.</summary>
internal sealed class ThreadedActor
{
    private readonly ConcurrentQueue<int> _messages = new();
    private readonly AutoResetEvent _awake = new(false);
    private readonly Thread _thread;
    private int _asleep;
    private volatile bool _ended;

    public ThreadedActor(Actor actor)
    {
        _thread = new Thread(() => Run(actor)) { IsBackground = true, Name = nameof(ThreadedActor) };
        _thread.Start();
    }

    public void Post(int message)
    {
        _messages.Enqueue(message);
        if (Volatile.Read(ref _asleep) == 1 && Interlocked.Exchange(ref _asleep, 0) == 1) _awake.Set();
    }

    public void End()
    {
        _ended = true;
        _awake.Set();
        _thread.Join();
    }

    private void Run(Actor actor)
    {
        while (!_ended)
        {
            while (_messages.TryDequeue(out int message)) actor.Take(message);
            Interlocked.Exchange(ref _asleep, 1);
            if (_messages.IsEmpty && !_ended) _awake.WaitOne();
            Interlocked.Exchange(ref _asleep, 0);
        }
    }
}

/// <inheritdoc cref="ThreadedActor"/>
internal readonly struct ThreadedActorBoxes : IBoxes<ThreadedActor>
{
    public static ThreadedActor Start(Actor actor, int? bound) => new(actor);

    public static void Post(ThreadedActor box, int message) => box.Post(message);

    public static ValueTask PostAsync(ThreadedActor box, int message)
    {
        box.Post(message);
        return default;
    }

    public static void End(ThreadedActor box) => box.End();
}
