// wrong
class Hooks
{
    public void OnStart() => Console.WriteLine("starts");
}

sealed class Print : Hooks, IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);

    public void OnStop() => Console.WriteLine("ends"); // RACE017
}

sealed class Wraps(Hooks inner) : IEventHandler<int>
{
    public void OnStart() => inner.OnStart(); // RACE017

    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

// right
abstract class Hooks : IStageLifetime
{
    public virtual void OnStart() => Console.WriteLine("starts");

    public virtual void OnStop() => Console.WriteLine("ends");
}

sealed class OfABase : Hooks, IEventHandler<int>
{
    public override void OnStart() => Console.WriteLine("starts here");

    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

sealed class Explicit : IEventHandler<int>, IStageLifetime, IIdleHandler
{
    void IStageLifetime.OnStart() => Console.WriteLine("starts");

    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);

    void IStageLifetime.OnStop() => Console.WriteLine("ends");

    void IIdleHandler.OnIdle() => Console.WriteLine("idle");
}

interface IService
{
    void OnStart();
}

sealed class OfAnotherInterface : IEventHandler<int>, IService
{
    public void OnStart() => Console.WriteLine("starts");

    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

sealed class CallsItItself : IEventHandler<int>
{
    private bool _started;

    public void OnStart() => _started = true;

    public void OnEvent(ref int item, long sequence, bool endOfBatch)
    {
        if (!_started) OnStart();
        Console.WriteLine(item);
    }
}

abstract class ForOthers : IEventHandler<int>
{
    public abstract void OnEvent(ref int item, long sequence, bool endOfBatch);

    public void OnIdle() => Console.WriteLine("idle");
}

sealed class OtherShapes : IEventHandler<int>
{
    public static void OnStop() => Console.WriteLine("ends");

    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);

    public bool OnIdle() => true;

    public void OnStart(int number) => Console.WriteLine(number);
}

sealed class NoHandler
{
    public void OnStart() => Console.WriteLine("starts");
}
