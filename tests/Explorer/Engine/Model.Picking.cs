namespace Raceway.Explorer.Engine;

/// <content>Who runs next, and when time passes.</content>
internal sealed partial class Model
{
    private const int MostCandidates = 64;
    private const int PatientRounds = 64;

    private readonly ModelThread[] _candidates = new ModelThread[MostCandidates];
    private readonly List<ModelledTimer> _timers = [];
    private long _stores;

    /// <summary>Nanoseconds since the execution began: they pass where everybody waits, and with yields.</summary>
    public long Now { get; private set; }

    /// <summary>Calls <paramref name="due"/> on a thread of the pool at its time.</summary>
    public ModelledTimer AddTimer(Action due)
    {
        var timer = new ModelledTimer(due);
        if (t_me is { } me) Teach(me, ref timer.Known);
        _timers.Add(timer);
        return timer;
    }

    private void ResetTime()
    {
        Now = 1;
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
            if (mayPreempt)
            {
                foreach (ModelThread thread in _threads)
                    if (thread != me && threads < MostCandidates && IsEnabled(thread)) _candidates[threads++] = thread;
            }

            int ways = threads;
            int flushes = Mode == MemoryMode.StoreBuffers && threads > 0 ? CountBuffers(me) : 0;
            ways += flushes;
            long next = NextDeadline();
            bool timeMayPass = next != long.MaxValue && (threads == 0 || (mayPreempt && next - Now < MostJump));
            if (timeMayPass && threads > 0) ways++;

            if (threads == 0)
            {
                if (DrainAnyBuffer()) continue;
                if (Release(patient: next == long.MaxValue)) continue;
                if (next == long.MaxValue) Stuck();
                PassTo(next);
                continue;
            }

            int choice = _choices.ChooseThread(_candidates.AsSpan(0, threads), ways);
            if (choice >= threads + flushes)
            {
                if (stays) _preemptions++;
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
            return chosen;
        }
    }

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
            timer.Due = timer.Period > 0 ? Now + timer.Period : long.MaxValue;
            // The queue of timers has a lock: who is called knows what was done before the timer was set.
            Learn(Spawn("timer", timer.Callback), timer.Known);
        }
    }

    // Nobody can run but those who poll: their loops go on, and time passes, ever faster.
    private bool Release(bool patient)
    {
        if (!patient && _idleRounds > PatientRounds) return false;
        bool any = false;
        foreach (ModelThread thread in _threads)
        {
            if (thread.Done || thread.Until is not null || thread.YieldedAt < 0) continue;
            thread.YieldedAt = -2;
            any = true;
        }

        if (!any) return false;
        if (++_idleRounds > MostIdleRounds) Stuck();
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
    /// <summary>What was known to whoever set it.</summary>
    public int[]? Known;

    public Action Callback { get; } = callback;

    public long Due { get; set; } = long.MaxValue;

    public long Period { get; set; }
}
