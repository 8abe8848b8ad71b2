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
        if (!Begin()) return;
        try
        {
            Loop();
        }
        catch (Exception fault)
        {
            // Steps hand faults to their policy; what comes out here is a defect, and must not be silent.
            Unit.Owner.Fail(fault);
        }

        End();
    }

    private void Loop()
    {
        Steppable unit = Unit;
        Waiting waiting = _waiting;
        while (true)
        {
            StepResult result = unit.Step();
            switch (result.Kind)
            {
                case StepKind.Progressed:
                    waiting.Progressed(result.Count, result.More);
                    break;
                case StepKind.Stopped:
                    return;
                default:
                    waiting.Idle(unit.NextTarget());
                    break;
            }
        }
    }
}
