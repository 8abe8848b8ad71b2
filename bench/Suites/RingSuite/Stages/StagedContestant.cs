namespace Raceway.Suites.RingSuite;

/// <summary>A contestant that runs the stages of any shape, given what it does for one of them.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal abstract class StagedContestant<TSlot>(string name, RingShape shape) : RingContestant(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>Calls <see cref="AddStage"/> for every stage, each after those it follows.</summary>
    protected void AddStages(RingLoad load, RoundThreads roundThreads)
    {
        for (int stage = 1; stage <= Shape.Stages; stage++)
        {
            switch (Shape.RoleOf(stage))
            {
                case StageRole.Add:
                    AddStage(load, roundThreads, stage, new Adding<TSlot>(load));
                    break;
                case StageRole.AddAndCheck:
                    AddCheckingStage(load, roundThreads, stage);
                    break;
                default:
                    AddStage(load, roundThreads, stage, new Checking<TSlot>(load, stage));
                    break;
            }
        }
    }

    /// <summary>Adds a stage that adds to each item and checks it; the latency cases check in a way of their own.</summary>
    protected virtual void AddCheckingStage(RingLoad load, RoundThreads roundThreads, int stage) =>
        AddStage(load, roundThreads, stage, new AddingAndChecking<TSlot>(load, stage));

    /// <summary>Adds one stage.</summary>
    protected abstract void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
        where TWork : struct, IStageWork<TSlot>;
}
