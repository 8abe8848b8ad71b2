namespace Raceway.Rings;

/// <summary>Steps on a thread of its own, and waits as its strategy says.</summary>
internal sealed class ThreadDriver(Steppable unit, Wait wait, string name) : Driver(unit)
{
    private readonly Waiting _waiting = wait.Create(unit.Owner.WaitContext(unit.LeadsChain));

    protected override void LaunchCore()
    {
        Unit.Attend(_waiting);
        new Thread(Run) { IsBackground = true, Name = name }.Start();
    }

    private void Run()
    {
        // First of all: what the start hook allocates is then near the processor that will use it.
        Unit.PlaceThread();
        _waiting.Account = ThreadAccount.OfCurrent();
        _waiting.Stalls.Start();
        if (!Begin())
        {
            _waiting.Account?.Close();
            return;
        }

        try
        {
            Loop();
        }
        catch (Exception fault)
        {
            // Steps hand faults to their policy; what comes out here is a defect, and must not be silent.
            Unit.Owner.Fail(fault);
        }

        _waiting.Stalls.Stop();
        _waiting.Account?.Close();
        End();
    }

    private void Loop()
    {
        Steppable unit = Unit;
        Waiting waiting = _waiting;
        while (true)
        {
            StepResult result = unit.StepOnce();
            if (result.Kind is StepKind.Idle or StepKind.Pending) result = WaitUntilDone(unit, waiting);
            if (result.Kind == StepKind.Stopped) return;
            waiting.Progressed(result.Count, result.More);
        }
    }

    // By itself: while there is something to do, nothing of it is looked at.
    private static StepResult WaitUntilDone(Steppable unit, Waiting waiting)
    {
        StepResult result;
        do
        {
            waiting.Idle(unit.NextTarget());
            result = unit.StepOnce();
        }
        while (result.Kind is StepKind.Idle or StepKind.Pending);

        waiting.Stalls.Work();
        return result;
    }
}
