using System.Globalization;
using System.Reflection;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>One call of a public member with one value at an edge. What it may do is the same for all.</summary>
/// <param name="Member">Which.</param>
/// <param name="Parameter">The parameter or property that is given the value; null where there is none.</param>
/// <param name="Index">Which of its values.</param>
/// <param name="State">What the ring is in.</param>
internal sealed record BadCase(MemberInfo Member, string? Parameter, int Index, RingState State)
{
    /// <summary>Calls it on a new world, and checks what came of it.</summary>
    public async Task<string> Run()
    {
        var world = new World(State is RingState.Created or RingState.Draining ? ProducerKind.Single : ProducerKind.Multi);
        await Enter(world);
        object? value = null;
        Exception? fault = await Calls.Outcome(() => Calls.Call(this, world, out value));
        string what = $"{this}({Text(value)}) → {fault?.GetType().Name ?? "done"}";
        if (fault is not null) CheckFault(fault, value, what);
        else Assert.True(!Calls.IsOptions(Member.ReflectedType!) || value is not Enum || Enum.IsDefined(value.GetType(), value), what);
        world.StillWorks();
        return what;
    }

    private async Task Enter(World world)
    {
        if (State != RingState.Created) world.Ring.Start();
        if (State == RingState.Draining) world.Ring.Complete();
        if (State == RingState.Stopped) await world.Ring.HaltAsync();
        if (State == RingState.Faulted)
        {
            world.Ring.Fail(new TimeoutException("of the test"), null);
            await Record.ExceptionAsync(() => world.Ring.Completion);
        }
    }

    private void CheckFault(Exception fault, object? value, string what)
    {
        bool isAllowed = fault is ArgumentException or InvalidOperationException or TimeoutException or OperationCanceledException
            || (fault is KeyNotFoundException or InvalidCastException && Documented.Contains(Member.Name));
        Assert.True(isAllowed, $"{what}: {fault}");
        if (fault is not ArgumentException wrong || Parameter is null || fault is PipelineBuildException) return;

        Assert.True(Names(value).Contains(wrong.ParamName ?? "", StringComparer.OrdinalIgnoreCase), $"{what}: names '{wrong.ParamName}'");
        bool isItself = string.Equals(wrong.ParamName, Parameter, StringComparison.OrdinalIgnoreCase);
        if (isItself && value is int or long or TimeSpan or Enum or string { Length: > 0 and < 100 })
            Assert.True(wrong.Message.Contains(Text(value), StringComparison.Ordinal), $"{what}: no value in: {wrong.Message}");
    }

    // What says so in its documentation.
    private static readonly string[] Documented = ["get_Item", "GetHandler", "GetPoller", "GetLanes", "DetachAsync"];

    // The parameter, another one that it contradicts, or a part of it, such as the minimum of a dispatch.
    private IEnumerable<string> Names(object? value)
    {
        yield return Parameter!;
        if (Member is MethodBase method)
            foreach (ParameterInfo parameter in method.GetParameters()) yield return parameter.Name!;
        if (value is not null)
            foreach (PropertyInfo part in value.GetType().GetProperties()) yield return part.Name;
        if (Member is not PropertyInfo property) yield break;
        yield return "value";
        if (!Calls.IsOptions(property.ReflectedType!)) yield break;
        yield return "options";
        foreach (PropertyInfo other in property.ReflectedType!.GetProperties()) yield return other.Name;
    }

    private static string Text(object? value) => value switch
    {
        null => "null",
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    public override string ToString() =>
        $"{Member.DeclaringType!.Name}.{Member.Name}[{(Member as MethodBase)?.GetParameters().Length}] {Parameter} #{Index} {State}";
}
