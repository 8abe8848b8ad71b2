// wrong
sealed class Printing : StageKind<int>
{
    public override Stage Attach(StageSite<int> site) => site.Attach((IEventHandler<int>)new Print()); // RACE009
}

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

// fixed
sealed class Printing : StageKind<int>
{
    public override Stage Attach(StageSite<int> site) => site.AttachEvents(new Print());
}

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}
