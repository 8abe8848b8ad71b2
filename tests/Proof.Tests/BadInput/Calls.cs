using System.Reflection;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>Every public member that can be called by reflection, and how.</summary>
internal static class Calls
{
    // What the compiler of C# gives every record, and what every object has.
    private static readonly string[] s_given =
        ["Equals", "GetHashCode", "ToString", "GetType", "Deconstruct", "<Clone>$", "op_Equality", "op_Inequality", "GetEnumerator"];

    // What the library tells, and nobody but a test makes.
    private static readonly Type[] s_reports =
    [
        typeof(DrainResult), typeof(StagePlacement), typeof(StageStatistics), typeof(LaneStatistics), typeof(BatchDecision),
        typeof(Diagnosis), typeof(Finding), typeof(Remedy), typeof(PipelineSnapshot), typeof(StageSnapshot),
    ];

    private static readonly Assembly[] s_libraries = [typeof(Ring).Assembly, typeof(SerialExecutor).Assembly, typeof(Plan).Assembly];

    /// <summary>All members with parameters or setters, of all public types; those with spans and ref structs are called elsewhere.</summary>
    public static IEnumerable<MemberInfo> Members()
    {
        IEnumerable<Type> types = s_libraries.SelectMany(static library => library.GetExportedTypes())
            .Where(type => !type.IsEnum && !type.IsInterface && !type.IsByRefLike
                && !typeof(Delegate).IsAssignableFrom(type) && !typeof(Exception).IsAssignableFrom(type))
            // In a sealed record of options, the ring's are reached by the one with slots.
            .Where(type => type != typeof(RingOptions) && !s_reports.Contains(type));
        foreach (Type type in types.Select(Close))
        {
            foreach (ConstructorInfo constructor in type.GetConstructors()) if (IsCallable(constructor)) yield return constructor;
            foreach (MethodInfo method in type.GetMethods().Select(CloseMethod))
            {
                bool isSetter = method.IsSpecialName && method.Name.StartsWith("set_", StringComparison.Ordinal);
                bool isOurs = s_libraries.Contains(method.DeclaringType!.Assembly);
                if (isOurs && !isSetter && !s_given.Contains(method.Name) && IsCallable(method)) yield return method;
            }

            foreach (PropertyInfo property in type.GetProperties())
                if (property.GetSetMethod() is not null && property.GetIndexParameters().Length == 0) yield return property;
        }
    }

    /// <summary>What is looked at when something is built from it.</summary>
    public static bool IsOptions(Type type) =>
        type == typeof(RingOptions<long>) || type == typeof(StageOptions) || type == typeof(PayloadOptions)
        || type == typeof(MailboxOptions<long>) || type == typeof(SerialExecutorOptions) || type == typeof(BatchControllerOptions)
        || type == typeof(PipelineSettings);

    /// <summary>The parameters, or the property, that are given values.</summary>
    public static IEnumerable<(string? Name, Type? Type)> Parameters(MemberInfo member) => member switch
    {
        PropertyInfo property => [(property.Name, property.PropertyType)],
        MethodBase method when method.GetParameters() is { Length: > 0 } parameters =>
            parameters.Select(parameter => ((string?)parameter.Name, (Type?)Plain(parameter.ParameterType))),
        _ => [(null, null)],
    };

    /// <summary>Calls the member with the case's value for its parameter, and good ones for the others.</summary>
    public static object? Call(BadCase one, World world, out object? value)
    {
        object? given = null;
        try
        {
            if (one.Member is PropertyInfo property)
            {
                object subject = Subject(property.DeclaringType!, property.ReflectedType!, world);
                given = Values.Of(property.PropertyType, world)[one.Index];
                property.SetValue(subject, given);
                return Use(subject, world);
            }

            var method = (MethodBase)one.Member;
            object?[] arguments = [.. method.GetParameters().Select(parameter =>
            {
                object?[] values = Values.Of(Plain(parameter.ParameterType), world);
                return parameter.Name == one.Parameter ? given = values[one.Index] : values[0];
            })];
            if (method is ConstructorInfo constructor) return Use(constructor.Invoke(arguments), world);
            object? on = method.IsStatic ? null : Subject(method.DeclaringType!, method.ReflectedType!, world);
            object? result = method.Invoke(on, arguments);
            // A task that is only shown is not waited for.
            if (method.IsSpecialName) return null;
            if (result is BatchController or PipelineMeter or Mailbox<long>) return Use(result, world);
            return on is PipelineBuilder<long, long> && result is PipelineBuilder<long, long> builder ? Use(builder, world) : result;
        }
        finally
        {
            value = given;
        }
    }

    /// <summary>What a call came to, its task's end included.</summary>
    public static async Task<Exception?> Outcome(Func<object?> call)
    {
        try
        {
            Task? task = call() switch
            {
                Task one => one,
                ValueTask one => one.AsTask(),
                ValueTask<bool> one => one.AsTask(),
                ValueTask<long> one => one.AsTask(),
                _ => null,
            };
            if (task is not null) await Watchdog.Await(task);
            return null;
        }
        catch (TargetInvocationException outer)
        {
            return outer.InnerException;
        }
        catch (Exception fault) when (fault is not Xunit.Sdk.XunitException)
        {
            return fault;
        }
    }

    private static bool IsCallable(MethodBase method) =>
        Array.TrueForAll(method.GetParameters(), parameter => !Plain(parameter.ParameterType).IsByRefLike && !parameter.IsOut)
        && method is not MethodInfo { ReturnType.IsByRefLike: true };

    private static Type Plain(Type type) => type.IsByRef ? type.GetElementType()! : type;

    private static Type Close(Type type) =>
        type.IsGenericTypeDefinition ? type.MakeGenericType([.. type.GetGenericArguments().Select(static _ => typeof(long))]) : type;

    private static MethodInfo CloseMethod(MethodInfo method)
    {
        if (!method.IsGenericMethodDefinition) return method;
        return method.MakeGenericMethod([.. method.GetGenericArguments().Select(argument => argument.Name switch
        {
            "THandler" when method.Name == nameof(Stage.GetHandler) => typeof(string),
            "THandler" when argument.GenericParameterAttributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint) =>
                typeof(IStageHandler<long>),
            "THandler" => typeof(StructHandler),
            "TColumn" or "TOut" => typeof(string),
            "TState" => typeof(int),
            _ => typeof(long),
        })]);
    }

    private static object Subject(Type declaring, Type reflected, World world) => reflected switch
    {
        _ when declaring.IsAssignableFrom(typeof(RingOptions<long>)) && reflected != typeof(object) => new RingOptions<long>(),
        _ when reflected == typeof(RingBuffer<long>) || reflected == typeof(Ring) => world.Ring,
        _ when reflected.IsInstanceOfType(world.Producer) => world.Producer,
        _ when reflected == typeof(SingleProducer<long>) => Make.Ring().CreateProducer(),
        _ when reflected == typeof(MultiProducer<long>) => Make.Ring(kind: ProducerKind.Multi).CreateMultiProducer(),
        _ when reflected == typeof(Slots<long>) => world.Ring.Slots,
        _ when reflected.IsInstanceOfType(world.Stage) => world.Stage,
        _ when reflected == typeof(Pipeline<long>) => world.Pipeline,
        _ when reflected == typeof(PipelineBuilder<long, long>) => world.Builder,
        _ when reflected == typeof(StageKind<long>) => StageKind<long>.Batches(default(StructHandler)),
        _ when reflected == typeof(PolledWait) || reflected == typeof(PolledWaiter) => OwnWait.Of(reflected),
        _ when reflected == typeof(StageOptions) => Make.Stepped(),
        _ when reflected == typeof(PayloadOptions) => new PayloadOptions(),
        _ when reflected == typeof(ManualDriver) => new ManualDriver([world.Stage]),
        _ when reflected == typeof(Wait) => Wait.Default,
        _ when reflected == typeof(Dispatch) => Dispatch.Single,
        _ when reflected == typeof(FaultPolicy) => FaultPolicy.Stop,
        _ when reflected == typeof(DroppingProducer<long>) => new DroppingProducer<long>(world.Producer),
        _ when reflected == typeof(Publisher<long>) => World.Served(),
        _ when reflected == typeof(Poller<long>) => World.Polled(),
        _ when reflected == typeof(KeyedLanes) => World.Lanes(),
        _ when reflected == typeof(PipelineMeter) => PipelineObserving.CreateMeter(world.Pipeline, "good"),
        _ when reflected == typeof(BatchGoal) => BatchGoal.Throughput,
        _ when reflected == typeof(BatchCost) => new BatchCost(1e-6, 1e-6),
        _ when reflected == typeof(BatchCostFit) => BatchCostFit.Of([new(1, 1), new(4, 2), new(16, 4), new(64, 9)])!,
        _ when reflected == typeof(BatchController) => BatchController.Start(World.Tunable(), BatchGoal.Throughput),
        _ when reflected == typeof(Mailbox<long>) => Mailbox.Start<long>(static _ => { }),
        _ when reflected == typeof(SerialExecutor) => new SerialExecutor(new SerialExecutorOptions()),
        _ when reflected == typeof(ParallelExecutor) => new ParallelExecutor(2),
        _ when reflected == typeof(TaskScope) => TaskScope.Rent(CancellationToken.None),
        _ when reflected == typeof(RetainedPayload) => new RetainedPayload(null, 0),
        _ => Activator.CreateInstance(reflected)!,
    };

    /// <summary>Options are looked at where they are used.</summary>
    private static object? Use(object subject, World world) => subject switch
    {
        RingOptions<long> options => new RingBuffer<long>(8, options),
        StageOptions options => world.Ring.Subscribe(new Recorder.Silent(), options.Drive == Drive.OwnThread ? options with { Drive = Drive.Caller } : options),
        PayloadOptions options => new RingBuffer<Parcel>(8, new RingOptions<Parcel>
        {
            Payload = static (ref Parcel parcel) => ref parcel.Payload, PayloadOptions = options,
        }),
        PipelineBuilder<long, long> builder => builder.Build(Plan.Manual),
        MailboxOptions<long> options => Use(Mailbox.Start<long>(static _ => { }, options), world),
        Mailbox<long> mailbox => mailbox.HaltAsync(),
        SerialExecutorOptions options => new SerialExecutor(options),
        BatchControllerOptions options => Use(BatchController.Start(World.Tunable(), BatchGoal.Throughput, options), world),
        PipelineSettings settings => world.Builder.Build(settings),
        BatchController or PipelineMeter => Disposed((IDisposable)subject),
        ManualDriver driver => driver.StepAny(),
        RingBuffer<long> ring => Make.Producer(ring),
        Publisher<long> publisher => publisher.TryPublish(1),
        _ => subject.ToString(),
    };

    private static object? Disposed(IDisposable subject)
    {
        subject.Dispose();
        return null;
    }
}
