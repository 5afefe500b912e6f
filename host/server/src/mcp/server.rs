//! Handles the protocol's requests. Each request sees the current registry.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pif_domain::text;
use pif_domain::text::similar::similar;
use pif_domain::{
    BuiltIn, FaultCode, Limit, Principal, Scope, Toolset, bare, fault, listed, named, scope_of,
};
use pif_sandbox::Watch;
use pif_store::registry::name;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, ErrorData, Extensions, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, MetaObject, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, TASKS_EXTENSION_ID,
    Tool, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use super::alias::{self, Meant};
use super::announce::{Listeners, can_change, last};
use super::arguments::unprefixed;
use super::ask::{Asker, input_required, is_stateless};
use super::backend::Backend;
use super::call::{Call, Caller};
use super::catalog::{self, Reach};
use super::completion;
use super::connected::{ConnectionGuard, SessionGuard};
use super::instructions::instructions;
use super::listing::{Listing, page};
use super::present::present;
use super::resource;
use super::resume;
use super::sent::{forbidden, principal, seen_by, sent};
use super::settle::{Foreign, TypedArguments, settle};
use super::tool::{ToolResult, evolved};
use crate::render::{object, warn};
use crate::transport::{RawArguments, Session};

/// The key of a result's metadata that names the server, in the stateless protocol.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The key of a list's metadata with the time of which it is, while the database is away.
const AS_OF: &str = "mcp-pif/as_of";

/// The known methods. If one of them arrives as an unknown request, its parameters are invalid.
const METHODS: [&str; 13] = [
    "completion/complete",
    "initialize",
    "ping",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
];

/// The server of one session.
pub(super) struct Server {
    pub(super) backend: Arc<Backend>,
    session: Arc<Session>,
    listing: Arc<Listing>,
    incidents: AtomicU64,
    /// Who is told of changes.
    listeners: Listeners,
    /// Set for a client of HTTP that has begun a session.
    connected: OnceLock<ConnectionGuard>,
    /// Ends a session of HTTP with this server.
    ends: Option<SessionGuard>,
}

impl Server {
    pub(super) fn new(backend: Arc<Backend>, session: Arc<Session>, listing: Arc<Listing>) -> Self {
        let (incidents, listeners) = (AtomicU64::new(1), Listeners::new(&backend));
        let (connected, ends) = (OnceLock::new(), None);
        Self { backend, session, listing, incidents, listeners, connected, ends }
    }

    /// The server of a session that ends with it.
    pub(super) fn apart(
        backend: Arc<Backend>,
        session: Arc<Session>,
        listing: Arc<Listing>,
    ) -> Self {
        let ends = Some(SessionGuard(Arc::clone(&session)));
        Self { ends, ..Self::new(backend, session, listing) }
    }

    /// The call that a request makes.
    pub(super) fn receive(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        backend: &Backend,
    ) -> Call {
        let RawArguments(arguments) = sent(&context.extensions).unwrap_or_default();
        let asker = Asker::of(context, &request.name, arguments.text());
        let caller = self.caller(context, asker, backend.principal());
        Call { arguments, caller }
    }

    /// The caller of a request.
    pub(super) fn caller(
        &self,
        context: &RequestContext<RoleServer>,
        asker: Asker,
        principal: &Principal,
    ) -> Caller {
        Caller::new(&self.session, context, asker, principal)
    }

    pub(super) async fn dispatch(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        backend: &Arc<Backend>,
        call: Call,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, caller) = (request.name.as_ref(), call.caller.clone());
        let result = match &request.request_state {
            Some(state) if is_stateless(context) => {
                resume::retry(backend, request, state, &call).await?
            }
            _ => match self.call(backend, name, call).await {
                Ok(result) => result,
                Err(call) => self.call_alias(backend, name, call).await?,
            },
        };
        if let Some(asked) = caller.kept().and_then(input_required) {
            return Ok(asked.into());
        }
        if let Err(refusal) = &result {
            caller.notes.failed(refusal.code());
        }
        if let Some(task) = self.task_begun(backend, &caller, context).await {
            return Ok(task);
        }
        Ok(present(result, backend.config.profile).into())
    }

    /// Calls a tool by an older name or spelling.
    async fn call_alias(
        &self,
        backend: &Arc<Backend>,
        name: &str,
        call: Call,
    ) -> Result<ToolResult, ErrorData> {
        let nesting = backend.config.values.size(Limit::Nesting);
        match alias::resolve(name, &call.arguments, nesting) {
            None => Err(self.unknown_tool(name)),
            Some(Err(fault)) => Ok(Err(backend.refuse(name, &call, fault).await)),
            Some(Ok(meant)) => self.call_meant(backend, meant, call).await,
        }
    }

    /// Calls a tool. Returns the call as the error if no tool has this name.
    async fn call(
        &self,
        backend: &Arc<Backend>,
        name: &str,
        call: Call,
    ) -> Result<ToolResult, Call> {
        let built_in = BuiltIn::find(name);
        let mut takes = Arc::default();
        let schema = match built_in {
            Some(tool) if self.is_off(tool) => return Err(call),
            Some(tool) => Cow::Borrowed(catalog::input(tool)),
            None if name::is_reserved(name) => return Err(call),
            None => match backend.workshop.tools().and_then(|tools| tools.find(name)) {
                Ok(Some(tool)) => {
                    if let Err(fault) = backend.opened(&call.caller).await {
                        return Ok(Err(fault.into()));
                    }
                    let watch = Watch::new(backend.config.values.time(Limit::WallClock));
                    takes = backend.workshop.takes(&tool, &watch);
                    Cow::Owned(evolved::arguments(&takes))
                }
                Ok(None) => return Err(call),
                Err(fault) => return Ok(Err(fault.into())),
            },
        };
        let needed = scope_of(built_in);
        if !backend.principal().may(needed) {
            let fault = forbidden(name, needed);
            return Ok(Err(backend.refuse(name, &call, fault).await));
        }
        let nesting = backend.config.values.size(Limit::Nesting);
        let foreign = match built_in {
            Some(tool) if !tool.forgives() => Foreign::Refused,
            _ => Foreign::Ignored,
        };
        let own = built_in.and_then(|tool| unprefixed(tool, &call.arguments));
        let sent = own.as_ref().unwrap_or(&call.arguments);
        let TypedArguments { arguments, warnings } =
            settle(sent, &listed(name), &schema, foreign, nesting);
        let arguments = arguments.or(own).map_or_else(|| Arc::clone(&call.arguments), Arc::new);
        let call = Call { arguments, ..call };
        let mut result = match built_in {
            Some(tool) => catalog::call(tool, backend, call).await,
            None => Box::pin(evolved::call(backend, name, &takes, call)).await,
        };
        warn(&mut result, &warnings);
        let is_read = built_in.is_some_and(|tool| scope_of(Some(tool)) == Scope::Read);
        if let (Ok(reply), Some(time), true) = (&mut result, backend.workshop.as_of(), is_read) {
            reply.mark_as_of(&time);
        }
        Ok(result)
    }

    /// Calls the tool that an alias refers to.
    async fn call_meant(
        &self,
        backend: &Arc<Backend>,
        meant: Meant,
        call: Call,
    ) -> Result<ToolResult, ErrorData> {
        let Meant { name, arguments, is_argument, notes } = meant;
        let name = bare(&name).to_owned();
        match self.call(backend, &name, Call { arguments, ..call }).await {
            Ok(mut result) => {
                match &mut result {
                    Ok(reply) => reply.note(&notes),
                    Err(refusal) => refusal.note(&notes),
                }
                Ok(result)
            }
            Err(_) if !is_argument => Err(self.unknown_tool(&name)),
            Err(call) => {
                let message = format!("there is no tool {}", text::quote_one(&name));
                let fault = fault(FaultCode::UnknownTool, message, Some(&self.advise(&name)));
                Ok(Err(backend.refuse("execute-tool", &call, fault).await))
            }
        }
    }

    /// The server as the principal of a request sees it.
    pub(super) fn backend_of(&self, of: &Extensions) -> Arc<Backend> {
        principal(of).map_or_else(|| Arc::clone(&self.backend), |it| self.backend.of(it))
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let name: String = name.chars().take(64).collect();
        let advice = self.advise(&name);
        ErrorData::invalid_params(format!("unknown tool `{}`: {advice}", listed(&name)), None)
    }

    /// Suggests a tool for an unknown name.
    fn advise(&self, name: &str) -> String {
        let name: String = name.chars().take(64).collect();
        if let Some(tool) = BuiltIn::find(&name).filter(|tool| self.is_off(*tool)) {
            let set = tool.set().name();
            return format!(
                "it belongs to the toolset `{set}`, which `--toolsets` has switched off"
            );
        }
        let built_in = catalog::offered(&self.backend.config.toolsets).map(BuiltIn::name);
        let evolved = || self.backend.workshop.tools().ok()?.similar(&name);
        match similar(&name, built_in).map(str::to_owned).or_else(evolved) {
            Some(similar) => format!("did you mean `{}`?", listed(&similar)),
            None => named("tools/list and the tool `list` show what there is").into_owned(),
        }
    }

    fn is_off(&self, tool: BuiltIn) -> bool {
        !self.backend.config.toolsets.contains(&tool.set())
    }

    /// The error of a panic in a request. It names an incident of the log and gives no details.
    pub(super) fn report_panic(&self, name: &str) -> ErrorData {
        let incident = self.incidents.fetch_add(1, Ordering::Relaxed);
        tracing::error!(incident, name, "a request panicked");
        let message = format!("internal error, incident {incident}: the server's log says more");
        ErrorData::internal_error(message, None)
    }

    /// Answers a request. A panic becomes an error.
    fn guard<T>(
        &self,
        what: &str,
        answer: impl FnOnce() -> Result<T, ErrorData>,
    ) -> Result<T, ErrorData> {
        catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err(self.report_panic(what)))
    }

    fn implementation() -> Implementation {
        Implementation::new("mcp-pif", env!("CARGO_PKG_VERSION"))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let mut capabilities = capabilities;
        if self.backend.config.toolsets.contains(&Toolset::Work) {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
        }
        if let (Some(tools), false) = (&mut capabilities.tools, can_change(&self.backend)) {
            tools.list_changed = None;
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Self::implementation();
        info.with_instructions(instructions(self.backend.workshop.effects().is_open()))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.listeners.greet(&self.backend, &self.session, context.peer);
        if self.ends.is_some() {
            self.connected.get_or_init(|| ConnectionGuard::new(&self.backend.measures));
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.session.window.make(&context.id).await;
        let Backend { workshop, config, .. } = &*self.backend_of(&context.extensions);
        let tools = self.listing.tools(workshop, config)?;
        let tools = seen_by(workshop.principal(), tools);
        let mut listed = page(&tools, request.and_then(|request| request.cursor))?;
        if let Some(time) = workshop.as_of() {
            listed.meta = Some(MetaObject(object(json!({AS_OF: time}))));
        }
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = bare(name);
        let profile = self.backend.config.profile;
        let evolved = || {
            let name = Some(name).filter(|name| !name::is_reserved(name))?;
            let found = self.backend.workshop.tools().ok()?.find(name).ok()??;
            // Calls are compared with this; nobody reads hints of it. No type refuses a call.
            let watch = Watch::new(self.backend.config.values.time(Limit::WallClock));
            let takes = self.backend.workshop.takes(&found, &watch);
            Some(evolved::describe(&found, &takes, None, Reach::Nowhere, profile))
        };
        let built_in = BuiltIn::find(name).filter(|tool| !self.is_off(*tool));
        built_in
            .map(|tool| catalog::describe(tool, false, &self.backend.config.toolsets, profile))
            .or_else(evolved)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        request.name = bare(&request.name).to_owned().into();
        let is_stateless = is_stateless(&context);
        let before = last(&self.backend);
        let mut result = self.measured(&request, &context).await?;
        if !is_stateless && last(&self.backend) > before {
            // That the client is ready may have been said too early to be noticed.
            self.listeners.greet(&self.backend, &self.session, context.peer.clone());
        }
        self.listeners.hear(&self.backend, before).await;
        if is_stateless {
            let meta = MetaObject(object(json!({SERVER_INFO: Self::implementation()})));
            match &mut result {
                CallToolResponse::Complete(result) => result.meta = Some(meta),
                CallToolResponse::InputRequired(result) => result.meta = Some(meta),
                CallToolResponse::Task(result) => result.meta = Some(meta),
                _ => {}
            }
        }
        Ok(result)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if !can_change(&self.backend) {
            accepted.tools_list_changed = None;
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.serve(&self.backend, &self.session, &context).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(64).collect();
        if METHODS.contains(&method.as_str()) {
            let message = format!("the parameters of `{method}` are missing or have another shape");
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method `{method}`");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.task_of(&request, &context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.answer_task(&request, &context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.end_task(&request, &context).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.session.window.make(&context.id).await;
        let cursor = request.and_then(|request| request.cursor);
        let backend = self.backend_of(&context.extensions);
        self.guard("resources/list", || resource::list(&backend, cursor.as_deref()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        resource::templates(request.and_then(|request| request.cursor).as_deref())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.session.window.make(&context.id).await;
        let backend = self.backend_of(&context.extensions);
        self.guard("resources/read", || resource::read(&backend, &request.uri))
            .map(ReadResourceResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let backend = self.backend_of(&context.extensions);
        self.guard("completion/complete", || completion::complete(&backend, &request))
    }
}
