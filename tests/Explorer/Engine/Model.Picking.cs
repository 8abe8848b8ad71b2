namespace Raceway.Explorer.Engine;

/// <content>Who runs next, and when time passes.</content>
internal sealed partial class Model
{
    private const int MostCandidates = 64;
    private const int PatientRounds = 64;

    private readonly ModelThread[] _candidates = new ModelThread[MostCandidates];
    private readonly List<ModelledTimer> _timers = [];
    private long _stores;
    private int _unfair;

    /// <summary>Nanoseconds since the execution began: they pass where everybody waits, and with yields.</summary>
    public long Now { get; private set; }

    /// <summary>Calls <paramref name="due"/> on a thread of the pool at its time.</summary>
    public ModelledTimer AddTimer(Action due)
    {
        var timer = new ModelledTimer(due);
        Teach(timer);
        _timers.Add(timer);
        return timer;
    }

    /// <summary>What is known by who sets a timer is known by its callback.</summary>
    public void Teach(ModelledTimer timer)
    {
        if (Me is { } me) Views.Copy(me.View, timer.Known ??= NewView(), _used);
    }

    private void ResetTime()
    {
        (Now, _unfair) = (1, 0);
        _timers.Clear();
    }

    private bool IsEnabled(ModelThread thread)
    {
        if (thread.Done) return false;
        if (thread.Until is { } until)
            return until() || Now >= thread.Deadline || (thread.Interruptible && thread.Interrupted);
        return thread.YieldedAt != _stores;
    }

    private ModelThread Pick(ModelThread? me)
    {
        while (true)
        {
            if (_over || (_bodies == 0 && me is null or { IsBody: true, Done: true }))
            {
                _over = true;
                throw new ExecutionOver();
            }

            int threads = 0;
            bool stays = me is not null && IsEnabled(me);
            if (stays) _candidates[threads++] = me!;
            bool mayPreempt = !stays || _preemptions < PreemptionBound;
            if (mayPreempt) threads = AddOthers(me, threads);

            int ways = threads;
            int flushes = Mode == MemoryMode.StoreBuffers && threads > 0 ? CountBuffers(me) : 0;
            ways += flushes;
            long next = NextDeadline();
            bool timeMayPass = next != long.MaxValue
                && (threads == 0 || (_preemptions < PreemptionBound && next - Now < MostJump));
            if (timeMayPass && threads > 0) ways++;

            // Nothing but polls for long: who waits for a time has waited long enough.
            if (_idleRounds > PatientRounds && next != long.MaxValue)
            {
                PassTo(next);
                continue;
            }

            if (threads == 0)
            {
                if (DrainAnyBuffer()) continue;
                if (Release()) continue;
                if (next == long.MaxValue) Stuck();
                PassTo(next);
                continue;
            }

            int choice = _choices.ChooseThread(_candidates.AsSpan(0, threads), ways);
            if (choice >= threads + flushes)
            {
                _preemptions++;
                PassTo(next);
                continue;
            }

            if (choice >= threads)
            {
                FlushBuffer(choice - threads, me);
                continue;
            }

            ModelThread chosen = _candidates[choice];
            if (stays && chosen != me) _preemptions++;
            if (chosen != me && chosen.YieldedAt == -1) _idleRounds = 0;
            if (_unfair > 0) Ran(chosen);
            return chosen;
        }
    }

    // Who polls gives way to all that could run when it did: two pollers must not wake each other for ever, a third waiting.
    // Source: Musuvathi, Qadeer, "Fair Stateless Model Checking" (2008).
    private int AddOthers(ModelThread? me, int from)
    {
        int threads = from;
        ulong enabled = 0;
        foreach (ModelThread thread in _threads)
        {
            if (thread == me || threads == MostCandidates || !IsEnabled(thread)) continue;
            _candidates[threads++] = thread;
            enabled |= Bit(thread);
        }

        if (_unfair == 0) return threads;
        int fair = from;
        for (int i = from; i < threads; i++)
            if ((_candidates[i].GivesWayTo & enabled) == 0) _candidates[fair++] = _candidates[i];
        return fair > from ? fair : threads;
    }

    private void GiveWay(ModelThread me)
    {
        if (me.GivesWayTo == 0) _unfair++;
        me.GivesWayTo = ulong.MaxValue & ~Bit(me);
    }

    private void Ran(ModelThread thread)
    {
        foreach (ModelThread other in _threads)
        {
            if (other.GivesWayTo == 0) continue;
            other.GivesWayTo &= ~Bit(thread);
            if (other.GivesWayTo == 0) _unfair--;
        }

        // Threads that cannot run are waited for no longer than they cannot.
        if (thread.GivesWayTo == 0) return;
        thread.GivesWayTo = 0;
        _unfair--;
    }

    private static ulong Bit(ModelThread thread) => 1UL << (thread.Id & 63);

    // Deadlines further off than this are no races, but the last resort of somebody whose wake-up is lost.
    private const long MostJump = 1_000_000_000;

    private long NextDeadline()
    {
        long next = long.MaxValue;
        foreach (ModelThread thread in _threads)
            if (!thread.Done && thread.Until is not null) next = Math.Min(next, thread.Deadline);
        foreach (ModelledTimer timer in _timers) next = Math.Min(next, timer.Due);
        return next;
    }

    private void PassTo(long time)
    {
        Now = Math.Max(Now, time);
        _idleRounds = 0;
        foreach (ModelledTimer timer in _timers.ToArray())
        {
            if (timer.Due > Now) continue;
            timer.Due = long.MaxValue;
            ModelThread thread = Spawn("timer", timer.Callback);
            Learn(thread, timer.Known);
        }
    }

    // Nobody can run but those who poll: their loops go on, and time passes, ever faster.
    private bool Release()
    {
        bool any = false;
        foreach (ModelThread thread in _threads)
        {
            if (thread.Done || thread.Until is not null || thread.YieldedAt < 0) continue;
            thread.YieldedAt = -2;
            any = true;
        }

        if (!any) return false;
        if (_idleRounds > MostIdleRounds) Stuck();
        if (_idleRounds > PatientRounds) Now += 1L << Math.Min((_idleRounds - PatientRounds) / 4, 40);
        return true;
    }

    private void Stuck()
    {
        IEnumerable<string> waiting = _threads.Where(thread => !thread.Done)
            .Select(thread => $"{thread.Name}: {(thread.Until is null ? "polls" : thread.Waits)}");
        Failure ??= $"Nobody can go on (a lost wake-up, or a deadlock). {string.Join("; ", waiting)}";
        _over = true;
        throw new ExecutionOver();
    }
}

/// <summary>Something due at a time of the model.</summary>
internal sealed class ModelledTimer(Action callback)
{
    public Action Callback { get; } = callback;

    public long Due { get; set; } = long.MaxValue;

    public int[]? Known { get; set; }
}
